#include "stages/kernel_graph/parts.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/task.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::stages {
namespace {

using graph::Graph;
using graph::Node;

class Cutter {
 public:
  explicit Cutter(const Graph& whole) : whole_(whole) {}

  GraphParts cut() && {
    find_levels();
    number_parts();
    add_arrays();
    int last = std::ranges::max(made_.arrays, {}, &GraphArray::made_in).made_in;
    for (const graph::Reduction& reduction : whole_.reductions) last = std::max(last, part_[index(reduction.value)]);
    if (!renewals_.empty()) last = std::max(last, renewals_.rbegin()->first);
    for (int part = 0; part <= last; ++part) {
      const auto renewal = renewals_.find(part);
      if (renewal == renewals_.end()) add_part(part);
      else add_renewal(part, renewal->second);
    }
    return std::move(made_);
  }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  /// The reductions whose numbers a node takes.
  static std::vector<int> numbers_of(const graph::NodeSettings& settings) {
    std::vector<int> found;
    for (const graph::KnownNumber& known : settings.known) found.push_back(known.number);
    if (settings.moves) found.insert(found.end(), {settings.moves->smallest, settings.moves->largest});
    return found;
  }

  /// The number of stored nodes and reductions, one after another, that come before each value.
  void find_levels() {
    for (int value = 0; value < whole_.values(); ++value) {
      int level = 0;
      if (whole_.is_node(value)) {
        for (const int operand : whole_.node(value).operands) {
          const bool waits = whole_.is_node(operand) && whole_.node(operand).is_stored;
          level = std::max(level, level_[index(operand)] + (waits ? 1 : 0));
        }
        for (const int number : numbers_of(whole_.node(value).settings)) {
          level = std::max(level, level_[index(whole_.reductions[index(number)].value)] + 1);
        }
      }
      level_.push_back(level);
    }
  }

  /// Gives each level a part. After it come those that renew its iterations.
  void number_parts() {
    std::vector<std::vector<int>> renewed(level_.size() + 1);  // the first nodes of iterations of each level
    for (const int first : graph::iterations_of(whole_)) {
      if (whole_.node(first).renewed > 0) renewed[index(level_[index(first)])].push_back(first);
    }
    std::vector<int> part_of_level;
    int parts = 0;
    for (const std::vector<int>& firsts : renewed) {
      part_of_level.push_back(parts++);
      for (const int first : firsts) renewals_[parts++] = first;
    }
    for (const int level : level_) part_.push_back(part_of_level[index(level)]);
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
      if (!whole_.is_node(value) || !whole_.node(value).is_stored || array_of(value, part_[index(value)] + 1))
        continue;
      add_array(value, "stored " + whole_.node(value).name, whole_.type, run::Role::scratch);
    }
  }
  void add_array(int value, const std::string& name, ElementType type, run::Role role) {
    made_.arrays.push_back(
        {value, name, type, whole_.shape(value), role, role == run::Role::input ? -1 : part_[index(value)]});
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
      if (part_[index(whole_.reductions[n].value)] != part) continue;
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
      graph.inputs.push_back({own.name, own.type, own.shape,
                              own.role != run::Role::input || whole_.inputs[index(own.value)].may_be_nan});
    }
    for (int value = 0; value < whole_.values(); ++value) {
      if (!is_needed[index(value)] || values.contains(value)) continue;
      Node node = whole_.node(value);
      node.renewed = 0;
      for (int& operand : node.operands) operand = values.at(operand);
      for (graph::KnownNumber& known : node.settings.known) known.number = number_in(made, known.number);
      if (auto& moves = node.settings.moves) {
        moves = {number_in(made, moves->smallest), number_in(made, moves->largest)};
      }
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
    return graph;
  }
  /// Adds the part that makes the states of an iteration again. Its operands are stored, or inputs in which the part
  /// before it has looked for NaN.
  void add_renewal(int part, int first) {
    const Node& before = whole_.node(first);
    const int states = graph::nodes_of_iteration(whole_, first);
    std::vector<int> operands = before.operands;
    for (int n = 0; n < states; ++n) operands[index(whole_.node(first + n).settings.state)] = first + n;
    GraphPart made;
    made.times = before.renewed;
    Graph graph;
    graph.type = whole_.type;
    for (int& operand : operands) {
      const int array = array_of(operand, part).value();
      const auto at = std::ranges::find(made.inputs, array) - made.inputs.begin();
      operand = static_cast<int>(at);
      if (at < std::ssize(made.inputs)) continue;
      GraphArray& own = made_.arrays[index(array)];
      own.last_read = part;
      made.inputs.push_back(array);
      graph.inputs.push_back({own.name, own.type, own.shape, true});
    }
    for (int n = 0; n < states; ++n) {
      Node node = whole_.node(first + n);
      node.operands = operands;
      node.is_stored = false;
      node.renewed = 0;
      made.kept.push_back(array_of(first + n, part).value());
      made_.arrays[index(made.kept.back())].renewed_in = part;
      graph.kept.push_back({graph.values(), graph.type});
      graph.nodes.push_back(std::move(node));
    }
    made.graph = std::make_shared<const Graph>(std::move(graph));
    made_.parts.push_back(std::move(made));
  }
  /// The place of a reduction among the numbers that a part takes.
  static int number_in(GraphPart& made, int reduction) {
    const auto at = std::ranges::find(made.numbers, reduction) - made.numbers.begin();
    if (at == std::ssize(made.numbers)) made.numbers.push_back(reduction);
    return static_cast<int>(at);
  }

  const Graph& whole_;
  std::vector<int> level_, part_;  // of each value: the part in which it can be made first
  std::map<int, int> renewals_;    // by part, the first nodes of iterations that it makes again
  GraphParts made_;
};

/// What a part has too many of, with what to do; empty: nothing.
std::string excess_of(const Graph& part) {
  const auto excess = [](std::size_t found, std::size_t most, const char* verb, const char* noun, const char* which) {
    if (found <= most) return std::string();
    return std::string(verb) + " " + counted(static_cast<std::int64_t>(found), noun) + " and may have " +
           std::to_string(most) + ": " + which;
  };
  const std::string all[] = {
      excess(
          part.inputs.size(), graph::most_inputs, "reads", "array",
          "inputs, and what nodes of earlier parts keep or store; keep fewer nodes, or make some of them in a stage "
          "of their own"),
      excess(part.kept.size(), graph::most_kept, "writes", "array",
             "nodes that are kept or stored; make some of them in a stage of their own"),
      excess(part.reductions.size(), graph::most_numbers, "makes", "reduction",
             "numbers and lists; make some of them in a stage of their own"),
      excess(static_cast<std::size_t>(part.numbers), graph::most_numbers, "takes", "number",
             "made by reductions of earlier parts; make some of the nodes that take them in a stage of their own")};
  const auto* const first = std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
  return first == std::end(all) ? "" : *first;
}

}  // namespace

GraphParts cut_into_parts(std::shared_ptr<const Graph> whole) {
  GraphParts made = Cutter(*whole).cut();
  made.graph = std::move(whole);
  for (const GraphPart& part : made.parts) {
    const std::string excess = excess_of(*part.graph);
    if (!excess.empty()) throw Error("a part of the graph, which is computed at a time, " + excess);
  }
  return made;
}

bool parts_fit(const Graph& whole) {
  return std::ranges::all_of(Cutter(whole).cut().parts,
                             [](const GraphPart& part) { return excess_of(*part.graph).empty(); });
}

}  // namespace terrace::stages
