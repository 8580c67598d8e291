#include "stages/kernel_graph/moves.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/graph/moves.hpp"
#include "kernels/graph/slabs.hpp"
#include "stages/kernel_graph/parts.hpp"

namespace terrace::stages {
namespace {

using graph::Graph;
using graph::Node;

/// The values that have displacements along rows, and no number says them.
std::vector<int> displacements_of(const Graph& graph) {
  std::vector<int> found;
  for (const Node& node : graph.nodes) {
    const std::optional<int> by = graph::row_displacement(node);
    if (!by || graph::moves_of(graph, node, {}) || std::ranges::count(found, *by) > 0) continue;
    found.push_back(*by);
  }
  return found;
}

/// True of values that an iteration makes in the part in which they are made.
std::vector<bool> made_by_iterations(const Graph& graph) {
  std::vector<bool> found;
  for (int value = 0; value < graph.values(); ++value) {
    const auto is_found = [&](int operand) {
      return found[static_cast<std::size_t>(operand)] && !graph.node(operand).is_stored;
    };
    found.push_back(graph.is_node(value) && (graph.node(value).settings.iteration != nullptr ||
                                             std::ranges::any_of(graph.node(value).operands, is_found)));
  }
  return found;
}

void store_iterated(Graph& graph, const Node& warp) {
  const std::vector<bool> iterated = made_by_iterations(graph);
  for (const int operand : warp.operands) {
    if (!iterated[static_cast<std::size_t>(operand)]) continue;
    graph.nodes[static_cast<std::size_t>(operand) - graph.inputs.size()].is_stored = true;
  }
}

/// Adds the numbers of a displacement to the graph, and to the warps by it.
void add_moves(Graph& graph, int displacement) {
  const std::string& name = graph.is_node(displacement) ? graph.node(displacement).name
                                                        : graph.inputs[static_cast<std::size_t>(displacement)].name;
  const graph::KnownMoves moves{static_cast<int>(graph.reductions.size()),
                                static_cast<int>(graph.reductions.size()) + 1};
  const auto add = [&](const char* kind, graph::Measure measure) {
    graph::Reduction& made = graph.reductions.emplace_back();
    made.name = kind + name;
    made.value = displacement;
    made.measure = measure;
  };
  add("smallest ", graph::Measure::minimum_number);
  add("largest ", graph::Measure::maximum_number);
  for (Node& node : graph.nodes) {
    if (graph::row_displacement(node) != displacement) continue;
    node.settings.moves = moves;
    if (graph.is_node(displacement)) store_iterated(graph, node);
  }
}

}  // namespace

Graph with_known_moves(const Graph& whole) {
  std::vector<int> displacements = displacements_of(whole);
  while (!displacements.empty()) {
    Graph made = whole;
    for (const int displacement : displacements) add_moves(made, displacement);
    if (parts_fit(made)) return made;
    displacements.pop_back();
  }
  return whole;
}

std::vector<std::size_t> moved_numbers(const Graph& part) {
  std::vector<std::size_t> found;
  for (const Node& node : part.nodes) {
    if (!node.settings.moves) continue;
    found.push_back(static_cast<std::size_t>(node.settings.moves->smallest));
    found.push_back(static_cast<std::size_t>(node.settings.moves->largest));
  }
  return found;
}

std::vector<double> assumed_numbers(const Graph& part, std::int64_t slab_rows) {
  constexpr std::int64_t share = 4;
  const bool is_large = slab_rows >= graph::most_kept_rows(part) / share;
  const double rows = is_large ? std::numeric_limits<double>::infinity()
                               : static_cast<double>(std::max<std::int64_t>(1, slab_rows / share));
  std::vector<double> numbers(static_cast<std::size_t>(part.numbers));
  for (const Node& node : part.nodes) {
    if (!node.settings.moves) continue;
    numbers[static_cast<std::size_t>(node.settings.moves->smallest)] = -rows;
    numbers[static_cast<std::size_t>(node.settings.moves->largest)] = rows;
  }
  return numbers;
}

bool moves_no_further(const Graph& part, const std::vector<double>& numbers, const std::vector<double>& others) {
  return std::ranges::all_of(part.nodes, [&](const Node& node) {
    if (!node.settings.moves) return true;
    const auto smallest = static_cast<std::size_t>(node.settings.moves->smallest);
    const auto largest = static_cast<std::size_t>(node.settings.moves->largest);
    return numbers[smallest] >= others[smallest] && numbers[largest] <= others[largest];
  });
}

}  // namespace terrace::stages
