#include "kernels/graph/clusters/cluster.hpp"

#include <algorithm>

#include "kernels/graph/clusters/members.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {
namespace {

/// The most values that a member may read for a cell: all of its loops are unrolled.
constexpr i64 most_terms = 64;
/// Registers of a thread that the values of a cluster may take, and those of everything else.
constexpr i64 most_registers = 190, other_registers = 44;
/// Shared memory of a tile of the rim.
constexpr std::size_t most_rim_bytes = 96 << 10, wanted_rim_bytes = 40 << 10;
/// Values that the unrolled rows of a step read in all.
constexpr i64 most_unrolled_terms = 3000;

/// Finds the lags, windows and sizes of a cluster.
class Planner {
 public:
  Planner(const Graph& graph, const Readers& readers, const std::vector<int>& nodes)
      : graph_(graph), readers_(readers) {
    for (const int node : nodes) {
      made_.members.push_back({.value = node});
      made_.members.back().first_number = first_number(node);
      for (const int operand : graph.node(node).operands) {
        if (std::ranges::find(nodes, operand) == nodes.end()) add_read(operand);
      }
    }
    std::ranges::sort(made_.reads, {}, &StreamedValue::value);
    for (StreamedValue& read : made_.reads) {
      read.stored = is_read_as_stored(graph, read.value) ? graph.inputs[at_value(read.value)].type : graph.type;
    }
    for (const int node : nodes) {
      if (is_made(node)) made_.made.push_back(node);
    }
  }

  std::optional<Cluster> plan() {
    if (made_.reads.size() > most_reads || made_.made.size() > most_made) return std::nullopt;
    for (const StreamedValue& member : made_.members) {
      if (!readers_.is_wanted[at_value(member.value)] || !may_join(graph_, member.value) ||
          wraps(graph_.node(member.value)))
        return std::nullopt;
    }
    find_lags();
    find_windows();
    if (!find_columns() || !find_rim_extent()) return std::nullopt;
    find_operations();
    return made_;
  }

 private:
  static constexpr std::size_t most_reads = 12, most_made = 8;

  std::size_t first_number(int value) const {
    std::size_t count = 0;
    for (std::size_t n = 0; n < at_value(value) - graph_.inputs.size(); ++n) {
      count += graph_.nodes[n].settings.numbers.size();
    }
    return count;
  }

  void add_read(int value) {
    if (std::ranges::find(made_.reads, value, &StreamedValue::value) == made_.reads.end()) {
      made_.reads.push_back({.value = value});
    }
  }
  bool is_member(int value) const {
    return std::ranges::find(made_.members, value, &StreamedValue::value) != made_.members.end();
  }
  bool is_made(int value) const {
    return readers_.is_target[at_value(value)] ||
           std::ranges::any_of(readers_.nodes[at_value(value)], [&](int reader) { return !is_member(reader); });
  }
  /// True if a member reads a member at the other end of the array: that is not there where a tile is made.
  bool wraps(const Node& node) const {
    return node.settings.boundary == Boundary::periodic && radius_of(graph_, node) != Shape{} &&
           std::ranges::any_of(node.operands, [&](int operand) { return is_member(operand); });
  }
  StreamedValue& at(int value) {
    const auto found = std::ranges::find(made_.members, value, &StreamedValue::value);
    return found != made_.members.end() ? *found : *std::ranges::find(made_.reads, value, &StreamedValue::value);
  }

  int rows_around(const Node& node, std::size_t operand) const {
    return static_cast<int>(radius_of(graph_, node, operand).rows);
  }

  /// Each value comes as late as its readers allow.
  void find_lags() {
    for (StreamedValue& member : made_.members) {
      const Node& node = graph_.node(member.value);
      for (std::size_t n = 0; n < node.operands.size(); ++n) {
        member.lag = std::max(member.lag, at(node.operands[n]).lag + rows_around(node, n));
      }
    }
    const auto delay = [&](StreamedValue& own) {
      int latest = -1;
      for (const int reader : readers_.nodes[at_value(own.value)]) {
        if (!is_member(reader)) continue;
        const Node& node = graph_.node(reader);
        for (std::size_t n = 0; n < node.operands.size(); ++n) {
          if (node.operands[n] != own.value) continue;
          const int lag = at(reader).lag - rows_around(node, n);
          latest = latest < 0 ? lag : std::min(latest, lag);
        }
      }
      own.lag = std::max(own.lag, latest);
    };
    for (auto member = made_.members.rbegin(); member != made_.members.rend(); ++member) delay(*member);
    for (StreamedValue& read : made_.reads) delay(read);
  }

  /// What members read of their operands.
  void find_windows() {
    for (auto member = made_.members.rbegin(); member != made_.members.rend(); ++member) {
      const Node& node = graph_.node(member->value);
      if (sums_rows(node)) member->sums = 2 * rows_around(node, 0) + 1;
      for (std::size_t n = 0; n < node.operands.size(); ++n) {
        const Shape radius = radius_of(graph_, node, n);
        const int rows = static_cast<int>(radius.rows), columns = static_cast<int>(radius.columns);
        StreamedValue& own = at(node.operands[n]);
        const int oldest = member->lag + (member->sums > 0 ? -rows : rows);
        own.rows = std::max(own.rows, oldest - own.lag + 1);
        own.columns = std::max(own.columns, columns);
        own.reach.rows = std::max(own.reach.rows, member->reach.rows + rows);
        own.reach.columns = std::max(own.reach.columns, member->reach.columns + columns);
      }
    }
    for (const StreamedValue& read : made_.reads) {
      made_.first = std::min(made_.first, read.lag - static_cast<int>(read.reach.rows));
    }
    for (const int value : made_.made) made_.last = std::max(made_.last, at(value).lag);
  }

  /// Registers for values with so many columns a lane.
  i64 registers(i64 columns) const {
    i64 kept = 0;
    for (const auto* values : {&made_.reads, &made_.members}) {
      for (const StreamedValue& own : *values) {
        kept += (own.rows - 1) * (columns + i64{2} * own.columns) + std::max(0, own.sums - 1) * columns;
      }
    }
    const i64 coming = static_cast<i64>(made_.reads.size()) * columns * made_.ahead, passing = 4 * (columns + 2);
    return (kept + coming + passing) * static_cast<i64>(size_of(graph_.type) / 4);
  }

  bool find_columns() {
    const auto reads = static_cast<int>(made_.reads.size());
    i64 terms = 0, reach = 0;
    for (const StreamedValue& member : made_.members) {
      const Node& node = graph_.node(member.value);
      terms += terms_of(node, radius_of(graph_, node));
    }
    for (const StreamedValue& read : made_.reads) reach = std::max(reach, read.reach.columns);
    for (made_.columns = graph_.type == ElementType::f32 ? 4 : 2; made_.columns > 0; made_.columns /= 2) {
      made_.ahead = reads == 1 ? 4 : 2;
      while (made_.ahead > 1 && terms * made_.columns * made_.ahead > most_unrolled_terms) made_.ahead /= 2;
      while (made_.ahead > 1 && registers(made_.columns) > most_registers) made_.ahead /= 2;
      const i64 wanted = registers(made_.columns);
      made_.beside = static_cast<int>((reach + made_.columns - 1) / made_.columns * made_.columns);
      if (wanted > most_registers || 2 * made_.beside > 16 * made_.columns) continue;
      const i64 all = wanted + other_registers;
      made_.blocks = all <= 136 ? 4 : all <= 176 ? 3 : 2;
      return true;
    }
    return false;
  }

  bool find_rim_extent() {
    for (made_.rim_extent = 32; made_.rim_extent >= 4; made_.rim_extent /= 2) {
      std::size_t elements = 0;
      for (StreamedValue& member : made_.members) {
        member.rim_offset = elements;
        elements += static_cast<std::size_t>((made_.rim_extent + 2 * member.reach.rows) *
                                             (made_.rim_extent + 2 * member.reach.columns));
      }
      made_.rim_bytes = elements * size_of(graph_.type);
      if (made_.rim_bytes <= (made_.rim_extent > 8 ? wanted_rim_bytes : most_rim_bytes)) return true;
    }
    return false;
  }

  void find_operations() {
    std::vector<int> nodes;
    for (const StreamedValue& member : made_.members) {
      nodes.push_back(member.value);
      made_.operations += 2.0 * member.columns / made_.columns;  // shuffles
    }
    made_.operations += operations_of(graph_, nodes);
    made_.operations += 12.0 / made_.columns + 2.0 * static_cast<double>(made_.reads.size() + made_.made.size());
    made_.operations *= 32.0 * made_.columns / (32 * made_.columns - 2 * made_.beside);
    if (graph_.type == ElementType::f64) made_.operations *= 2;
  }

  const Graph& graph_;
  const Readers& readers_;
  Cluster made_;
};

double cells_of(const Graph& graph, int value) {
  const Shape shape = graph.shape(value);
  return static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
}

}  // namespace

const StreamedValue* Cluster::find(int value) const {
  for (const auto* values : {&reads, &members}) {
    const auto found = std::ranges::find(*values, value, &StreamedValue::value);
    if (found != values->end()) return &*found;
  }
  return nullptr;
}

Shape Cluster::rim() const {
  Shape most;
  for (const StreamedValue& read : reads) {
    most = {std::max(most.rows, read.reach.rows), std::max(most.columns, read.reach.columns)};
  }
  return most;
}

Readers::Readers(const Graph& graph)
    : nodes(at_value(graph.values())), is_target(at_value(graph.values())), is_wanted(at_value(graph.values())) {
  for (std::size_t n = 0; n < graph.targets(); ++n) {
    is_target[at_value(graph.target(n))] = is_wanted[at_value(graph.target(n))] = true;
  }
  for (int value = graph.values() - 1; value >= 0 && graph.is_node(value); --value) {
    if (!is_wanted[at_value(value)]) continue;
    for (const int operand : graph.node(value).operands) {
      is_wanted[at_value(operand)] = true;
      std::vector<int>& own = nodes[at_value(operand)];
      if (own.empty() || own.back() != value) own.push_back(value);
    }
  }
}

bool may_join(const Graph& graph, int value) {
  if (!graph.is_node(value)) return false;
  const Node& node = graph.node(value);
  if (node.settings.iteration || !may_iterate(operators()[at_value(node.op)])) return false;
  if (graph.shape(node.operands.front()) != node.shape) return false;
  return terms_of(node, radius_of(graph, node)) <= most_terms;
}

std::optional<Cluster> cluster_of(const Graph& graph, const Readers& readers, const std::vector<int>& nodes) {
  return Planner(graph, readers, nodes).plan();
}

bool is_read_as_stored(const Graph& graph, int value) {
  return !graph.is_node(value) && !is_floating(graph.inputs[at_value(value)].type);
}

double bytes_of(const Graph& graph, const Cluster& cluster) {
  std::size_t bytes = cluster.made.size() * size_of(graph.type);
  for (const StreamedValue& read : cluster.reads) bytes += size_of(read.stored);
  return static_cast<double>(bytes) * cells_of(graph, cluster.made.front());
}

}  // namespace terrace::graph
