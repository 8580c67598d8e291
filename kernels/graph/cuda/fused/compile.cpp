#include "kernels/graph/cuda/fused/compile.hpp"

#include <utility>

#include "kernels/compiled/store.hpp"
#include "kernels/graph/cuda/fused/source.hpp"

namespace terrace::graph {
namespace {

/// Bytes of values that a thread may keep in local memory. Not measured.
constexpr int most_local_bytes = 64;

}  // namespace

ClusterKernels compile(const Graph& graph, const Cluster& cluster, const std::vector<bool>& checks,
                       device::Context& context) {
  if (context.modules() == nullptr) throw DeviceError("graph", "there is no place for kernels of clusters");
  for (int blocks = cluster.blocks;; --blocks) {
    auto module = context.modules()->module(source_of(graph, cluster, checks, blocks), context);
    if (blocks <= 2 || module->local_bytes(0) <= most_local_bytes) return {cluster, std::move(module)};
  }
}

}  // namespace terrace::graph
