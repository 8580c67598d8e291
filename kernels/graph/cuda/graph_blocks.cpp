#include "kernels/graph/cuda/graph_blocks.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

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

/// Bytes of workspaces that were counted before: plans for several budgets have slabs of the same heights.
class RememberedBytes {
 public:
  std::size_t of(const GraphSpec& spec, const Composition& all) {
    const Key key{spec.graph.get(), spec.slab_rows, spec.pass_steps, spec.known};
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end() && found->second.graph.lock() == spec.graph)
      return found->second.bytes;
    if (entries_.size() >= most) entries_.clear();
    const std::size_t bytes = Layout(spec).rooms + most_room_bytes(spec, lifetimes_of(all));
    entries_.insert_or_assign(key, Entry{spec.graph, bytes});
    return bytes;
  }

 private:
  using Key = std::tuple<const Graph*, i64, i64, std::vector<double>>;
  struct Entry {
    std::weak_ptr<const Graph> graph;  // another graph may come to lie where it lay
    std::size_t bytes;
  };
  static constexpr std::size_t most = 4096;

  std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

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
  static RememberedBytes remembered;
  return remembered.of(composed_spec(spec, all), all);
}

GraphSpec composed_spec(const GraphSpec& spec, const Composition& all) {
  GraphSpec made = spec;
  made.graph = all.graph;
  return made;
}

}  // namespace terrace::graph
