// Passes of an iteration on CUDA of which a cluster makes several steps.
#pragma once

#include <vector>

#include "kernels/graph/clusters/unrolled.hpp"
#include "kernels/graph/cuda/fused/kernels.hpp"
#include "kernels/graph/cuda/iteration_passes.hpp"

namespace terrace::graph {

class FusedPasses final : public IterationPasses {
 public:
  /// @param steps as unrolled_in_least_time() has them, which outlive the passes @throws DeviceError
  FusedPasses(const std::vector<UnrolledSteps>& steps, device::Context& context);

  i64 most_steps() const override { return steps_.front().steps; }
  void launch(Range rows, i64 steps, const PassMemory& memory, cudaStream_t stream) const override;

 private:
  const std::vector<UnrolledSteps>& steps_;
  std::vector<ClusterKernels> kernels_;
};

}  // namespace terrace::graph
