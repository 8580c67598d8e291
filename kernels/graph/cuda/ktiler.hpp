// The steps of a slab cut into strips that stay in the L2 cache: schedule `ktiler`.
#pragma once

#include <deque>
#include <vector>

#include "kernels/graph/cuda/step.hpp"
#include "kernels/graph/tiling/clusters.hpp"

namespace terrace::graph {

/// Launches steps in strips.
class StripLauncher {
 public:
  explicit StripLauncher(TimeTable times) : times_(std::move(times)) {}

  /// Launches all steps. Those that do not say what they touch are made after all before them, and before all after
  /// them; an iteration is cut for itself, some of its steps at a time. @throws DeviceError
  void launch(const std::vector<Step>& steps, cudaStream_t stream);

 private:
  /// What is known of steps, each of which says what it touches.
  struct Known {
    std::vector<TileStep> steps;
    std::vector<SubKernel> order;
    std::size_t first_cluster = 1;  // steps of it
  };

  /// Launches steps [begin, end), which say what they touch.
  void launch_part(const std::vector<Step>& steps, std::size_t begin, std::size_t end, cudaStream_t stream);
  void launch_iteration(const ManySteps& many, cudaStream_t stream);
  const Known& known(const std::vector<Step>& steps, std::size_t begin, std::size_t end);

  TimeTable times_;
  std::deque<Known> known_;  // the last ones
};

}  // namespace terrace::graph
