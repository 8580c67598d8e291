#include "stages/kernel_graph/verify/from_stored.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/graph/iteration.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/nodes.hpp"

namespace terrace::stages {
namespace {

using graph::Graph;

/// For each value whether another one is made from it. @param ends true of those whose operands do not count
template <class Ends>
std::vector<bool> depended_on(const Graph& graph, int value, const Ends& ends) {
  std::vector<bool> found(static_cast<std::size_t>(graph.values()));
  const auto mark = [&](int own) {
    for (const int operand : graph.node(own).operands) found[static_cast<std::size_t>(operand)] = true;
  };
  if (graph.is_node(value)) mark(value);
  for (int own = value; own-- > 0 && graph.is_node(own);) {
    if (found[static_cast<std::size_t>(own)] && !ends(own)) mark(own);
  }
  return found;
}

bool is_stored(const Graph& graph, int value) {
  return graph.is_node(value) && std::ranges::any_of(graph.kept, [&](const graph::Kept& kept) {
           return kept.value == value && kept.type == graph.type;
         });
}

}  // namespace

std::optional<FromStored> from_stored(const VerifyRequest& request, const GraphDefinition& definition, int value) {
  const Graph& whole = *definition.graph;
  const auto ends = [&](int own) { return is_stored(whole, own); };
  const std::vector<bool> needed = depended_on(whole, value, ends);
  FromStored made{definition, 0, ""};
  Graph graph = whole;
  std::vector<int> inputs(static_cast<std::size_t>(whole.values()), -1);  // in place of nodes
  for (int own = 0; own < whole.values(); ++own) {
    if (!needed[static_cast<std::size_t>(own)] || !ends(own)) continue;
    const graph::Node& node = whole.node(own);
    inputs[static_cast<std::size_t>(own)] = static_cast<int>(graph.inputs.size());
    graph.inputs.push_back({node.name, whole.type, node.shape, true});
    made.definition.inputs.push_back(
        open_dataset(request, dataset_name(node.name), {node.shape.rows, node.shape.columns}, whole.type));
    made.names += (made.names.empty() ? "" : ", ") + quote(node.name);
  }
  if (made.names.empty()) return std::nullopt;
  const auto more = static_cast<int>(graph.inputs.size() - whole.inputs.size());
  const auto moved = [&](int own) { return whole.is_node(own) ? own + more : own; };
  for (graph::Node& node : graph.nodes) {
    for (int& operand : node.operands) {
      const int input = inputs[static_cast<std::size_t>(operand)];
      operand = input >= 0 ? input : moved(operand);
    }
  }
  for (graph::Kept& kept : graph.kept) kept.value = moved(kept.value);
  for (graph::Reduction& reduction : graph.reductions) reduction.value = moved(reduction.value);
  made.value = moved(value);
  made.definition.graph = std::make_shared<const Graph>(std::move(graph));
  return made;
}

std::string longest_iteration(const Graph& graph, int value) {
  std::vector<bool> needed = depended_on(graph, value, [](int) { return false; });
  needed[static_cast<std::size_t>(value)] = true;
  const graph::Node* longest = nullptr;
  for (const int first : graph::iterations_of(graph)) {
    const graph::Node& node = graph.node(first);
    bool is_needed = false;
    for (int state = 0; state < graph::nodes_of_iteration(graph, first); ++state)
      is_needed |= needed[static_cast<std::size_t>(first + state)];
    if (!is_needed) continue;
    if (longest == nullptr || node.settings.iteration->times > longest->settings.iteration->times) longest = &node;
  }
  if (longest == nullptr) return "";
  return counted(longest->settings.iteration->times, "step") + " of " + quote(longest->name);
}

}  // namespace terrace::stages
