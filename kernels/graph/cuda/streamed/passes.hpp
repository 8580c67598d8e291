// Launches of an iteration on CUDA that make several steps each.
#pragma once

#include <vector>

#include "kernels/graph/cuda/launches.hpp"
#include "kernels/graph/cuda/pieces.hpp"
#include "kernels/graph/cuda/streamed/plan.hpp"

namespace terrace::graph {

class StreamedPasses {
 public:
  /// @param launch of the kernel of the plan, with layouts()
  StreamedPasses(const Iteration& iteration, StreamedPlan plan, StreamedLaunch launch);

  /// The layouts of thread blocks of 1 warp and more.
  static std::vector<StreamedLayout> layouts(const Iteration& iteration, const StreamedPlan& plan);

  /// The most steps of a launch.
  i64 most_steps() const { return layout_.back().depth(); }
  /// Makes rows of all states by so many steps. @param inputs of the body
  void launch(Range rows, i64 steps, const GraphState* state, const std::vector<Pieces>& inputs,
              const std::vector<Pieces>& made, cudaStream_t stream) const;

 private:
  const Iteration& iteration_;
  StreamedPlan plan_;
  StreamedLaunch launch_;
  std::vector<StreamedLayout> layout_;
};

}  // namespace terrace::graph
