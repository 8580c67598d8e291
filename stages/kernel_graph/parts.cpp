#include "stages/kernel_graph/parts.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "kernels/graph/task.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {
namespace {

using graph::Graph;
using graph::Node;

class Cutter {
 public:
  explicit Cutter(const Graph& whole) : whole_(whole) {}

  GraphParts cut() && {
    find_levels();
    add_arrays();
    int last = std::ranges::max(made_.arrays, {}, &GraphArray::made_in).made_in;
    for (const graph::Reduction& reduction : whole_.reductions) last = std::max(last, level_[index(reduction.value)]);
    for (int part = 0; part <= last; ++part) add_part(part);
    return std::move(made_);
  }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  /// The part in which each value can be made first.
  void find_levels() {
    for (int value = 0; value < whole_.values(); ++value) {
      int level = 0;
      if (whole_.is_node(value)) {
        for (const int operand : whole_.node(value).operands) {
          const bool waits = whole_.is_node(operand) && whole_.node(operand).is_stored;
          level = std::max(level, level_[index(operand)] + (waits ? 1 : 0));
        }
        for (const graph::KnownNumber& known : whole_.node(value).settings.known) {
          level = std::max(level, level_[index(whole_.reductions[index(known.number)].value)] + 1);
        }
      }
      level_.push_back(level);
    }
  }

  void add_arrays() {
    for (int value = 0; !whole_.is_node(value) && value < whole_.values(); ++value) {
      const graph::Input& input = whole_.inputs[index(value)];
      add_array(value, input.name, input.type, run::Role::input);
    }
    for (const graph::Kept& kept : whole_.kept) {
      add_array(kept.value, whole_.node(kept.value).name, kept.type, run::Role::result);
    }
    for (int value = 0; value < whole_.values(); ++value) {
      if (!whole_.is_node(value) || !whole_.node(value).is_stored || array_of(value, level_[index(value)] + 1))
        continue;
      add_array(value, "stored " + whole_.node(value).name, whole_.type, run::Role::scratch);
    }
  }
  void add_array(int value, const std::string& name, ElementType type, run::Role role) {
    made_.arrays.push_back(
        {value, name, type, whole_.shape(value), role, role == run::Role::input ? -1 : level_[index(value)]});
  }

  /// The array in which a part finds the values of the whole graph's value; nullopt if it must make them.
  std::optional<int> array_of(int value, int part) const {
    for (std::size_t n = 0; n < made_.arrays.size(); ++n) {
      const GraphArray& array = made_.arrays[n];
      if (array.value != value || array.made_in >= part) continue;
      if (array.role == run::Role::input || array.type == whole_.type) return static_cast<int>(n);
    }
    return std::nullopt;
  }

  void add_part(int part) {
    GraphPart made;
    std::vector<bool> is_needed(index(whole_.values()));
    for (std::size_t n = 0; n < made_.arrays.size(); ++n) {
      if (made_.arrays[n].made_in != part) continue;
      is_needed[index(made_.arrays[n].value)] = true;
      made.kept.push_back(static_cast<int>(n));
    }
    for (std::size_t n = 0; n < whole_.reductions.size(); ++n) {
      if (level_[index(whole_.reductions[n].value)] != part) continue;
      is_needed[index(whole_.reductions[n].value)] = true;
      made.reductions.push_back(static_cast<int>(n));
    }
    find_inputs(part, is_needed, made);
    made.graph = std::make_shared<const Graph>(graph_of(is_needed, made));
    made_.parts.push_back(std::move(made));
  }

  /// Finds the arrays that a part reads, and all nodes that it makes.
  void find_inputs(int part, std::vector<bool>& is_needed, GraphPart& made) {
    for (int value = whole_.values() - 1; value >= 0; --value) {
      if (!is_needed[index(value)]) continue;
      if (const auto array = array_of(value, part)) {
        made.inputs.push_back(*array);
        made_.arrays[index(*array)].last_read = part;
        continue;
      }
      for (const int operand : whole_.node(value).operands) is_needed[index(operand)] = true;
    }
    std::ranges::reverse(made.inputs);
  }

  Graph graph_of(const std::vector<bool>& is_needed, GraphPart& made) const {
    Graph graph;
    graph.type = whole_.type;
    std::map<int, int> values;  // of the whole graph, and of this one
    for (const int array : made.inputs) {
      const GraphArray& own = made_.arrays[index(array)];
      values[own.value] = graph.values();
      graph.inputs.push_back({own.name, own.type, own.shape, own.role != run::Role::input});
    }
    for (int value = 0; value < whole_.values(); ++value) {
      if (!is_needed[index(value)] || values.contains(value)) continue;
      Node node = whole_.node(value);
      for (int& operand : node.operands) operand = values.at(operand);
      for (graph::KnownNumber& known : node.settings.known) known.number = number_in(made, known.number);
      values[value] = graph.values();
      graph.nodes.push_back(std::move(node));
    }
    for (const int array : made.kept) {
      const GraphArray& own = made_.arrays[index(array)];
      graph.kept.push_back({values.at(own.value), own.type});
    }
    for (const int reduction : made.reductions) {
      graph.reductions.push_back(whole_.reductions[index(reduction)]);
      graph.reductions.back().value = values.at(graph.reductions.back().value);
    }
    graph.numbers = static_cast<int>(made.numbers.size());
    refuse_many(graph);
    return graph;
  }
  /// The place of a reduction among the numbers that a part takes.
  static int number_in(GraphPart& made, int reduction) {
    const auto at = std::ranges::find(made.numbers, reduction) - made.numbers.begin();
    if (at == std::ssize(made.numbers)) made.numbers.push_back(reduction);
    return static_cast<int>(at);
  }

  static void refuse_many(const Graph& graph) {
    if (graph.inputs.size() > graph::most_inputs) throw Error("a part of a graph reads too many arrays");
    if (graph.kept.size() > graph::most_kept) throw Error("a part of a graph keeps too many arrays");
    if (std::max<std::size_t>(graph.reductions.size(), index(graph.numbers)) > graph::most_numbers) {
      throw Error("a part of a graph has too many numbers");
    }
  }

  const Graph& whole_;
  std::vector<int> level_;
  GraphParts made_;
};

}  // namespace

GraphParts cut_into_parts(const Graph& whole) { return Cutter(whole).cut(); }

}  // namespace terrace::stages
