#include "kernels/graph/cuda/fused/passes.hpp"

#include <algorithm>

#include "kernels/graph/cuda/fused/compile.hpp"

namespace terrace::graph {

FusedPasses::FusedPasses(const std::vector<UnrolledSteps>& steps, device::Context& context) : steps_(steps) {
  for (const UnrolledSteps& own : steps) {
    kernels_.push_back(compile(own.graph, own.cluster, std::vector<bool>(own.cluster.reads.size()), context));
  }
}

void FusedPasses::launch(Range rows, i64 steps, const PassMemory& memory, cudaStream_t stream) const {
  const auto found = std::ranges::find(steps_, steps, &UnrolledSteps::steps);
  if (found == steps_.end()) throw DeviceError("graph", "no kernel makes so many steps of an iteration");
  std::vector<Pieces> pieces(at_value(found->graph.values()));
  std::copy_n(memory.inputs.begin(), found->graph.inputs.size(), pieces.begin());
  for (std::size_t state = 0; state < memory.made.size(); ++state) {
    pieces[at_value(found->states[state])] = memory.made[state];
  }
  const ClusterKernels& kernels = kernels_[static_cast<std::size_t>(found - steps_.begin())];
  const ClusterLaunches launches(found->graph, found->cluster, memory.state, memory.numbers,
                                 kernels.resident_blocks());
  for (const ClusterLaunch& own : launches.of(pieces, rows)) kernels.launch(own, stream);
}

}  // namespace terrace::graph
