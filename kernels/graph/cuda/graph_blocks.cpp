#include "kernels/graph/cuda/graph_blocks.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/graph/slabs.hpp"

namespace terrace::graph {
namespace {

static_assert(most_checked == most_inputs && (i64{1} << column_bits) >= most_extent);

std::size_t count_numbers(const Graph& graph) {
  std::size_t count = 0;
  for (const Node* node : numbered_nodes(graph)) count += node->settings.numbers.size();
  return count;
}

/// The most rows of a slab that a reduction reads.
std::size_t reduced_rows(const GraphSpec& spec) {
  i64 most = 0;
  for (std::size_t n = spec.graph->kept.size(); n < spec.graph->targets(); ++n) {
    most = std::max(most, most_rows_of_slab(spec, n));
  }
  return static_cast<std::size_t>(most);
}

}  // namespace

Layout::Layout(const GraphSpec& spec) {
  add(sizeof(GraphState), numbers);
  add(count_numbers(*spec.graph) * size_of(spec.graph->type), row_results);
  add(reduced_rows(spec) * sizeof(double), rooms);
}

GraphMemory Layout::in(void* workspace) const {
  auto* at = static_cast<std::byte*>(workspace);
  return {static_cast<GraphState*>(workspace), at + numbers, reinterpret_cast<double*>(at + row_results), at + rooms};
}

void Layout::add(std::size_t bytes, std::size_t& next) { end_ += device::aligned_bytes(bytes), next = end_; }

std::size_t workspace_bytes(const GraphSpec& spec, const Composition& all) {
  const GraphSpec own = composed_spec(spec, all);
  return Layout(own).rooms + most_room_bytes(own, lifetimes_of(all));
}

GraphSpec composed_spec(const GraphSpec& spec, const Composition& all) {
  GraphSpec made = spec;
  made.graph = all.graph;
  return made;
}

}  // namespace terrace::graph
