// Passes of an iteration on CUDA whose rows stream.
#pragma once

#include <vector>

#include "kernels/graph/cuda/iteration_passes.hpp"
#include "kernels/graph/cuda/streamed/plan.hpp"

namespace terrace::graph {

class StreamedPasses final : public IterationPasses {
 public:
  /// @param launch of the kernel of the plan, with layouts()
  StreamedPasses(const Iteration& iteration, StreamedPlan plan, StreamedLaunch launch);

  /// The layouts of thread blocks of 1 warp and more.
  static std::vector<StreamedLayout> layouts(const Iteration& iteration, const StreamedPlan& plan);

  i64 most_steps() const override { return layout_.back().depth(); }
  void launch(Range rows, i64 steps, const PassMemory& memory, cudaStream_t stream) const override;

 private:
  const Iteration& iteration_;
  StreamedPlan plan_;
  StreamedLaunch launch_;
  std::vector<StreamedLayout> layout_;
};

}  // namespace terrace::graph
