#include "kernels/graph/cuda/ktiler.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

/// Steps of an iteration from which the number is found that are cut together.
constexpr std::size_t steps_tried = 64;
/// Lists of steps whose order is kept: an iteration has a few that come again and again.
constexpr std::size_t most_known = 16;

}  // namespace

void StripLauncher::launch(const std::vector<Step>& steps, cudaStream_t stream) {
  std::size_t begin = 0;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (!steps[n].touches.empty()) continue;
    launch_part(steps, begin, n, stream);
    if (steps[n].many) launch_iteration(steps[n].many, stream);
    else steps[n].launch(steps[n].work, stream);
    begin = n + 1;
  }
  launch_part(steps, begin, steps.size(), stream);
}

void StripLauncher::launch_part(const std::vector<Step>& steps, std::size_t begin, std::size_t end,
                                cudaStream_t stream) {
  if (begin == end) return;
  if (begin + 1 == end) return steps[begin].launch(steps[begin].work, stream);
  for (const SubKernel& part : known(steps, begin, end).order) {
    const Step& step = steps[begin + as_index(part.step)];
    Work work = step.work;
    work.rows = part.rows;
    step.launch(work, stream);
  }
}

/// The first steps tell how many are worth cutting together; as many at a time are then made.
void StripLauncher::launch_iteration(const ManySteps& many, cudaStream_t stream) {
  std::vector<Step> waiting;
  std::size_t together = 0;  // 0: not known yet
  many([&](const Step& step) {
    if (step.touches.empty()) throw DeviceError("graph", "a step of an iteration does not say what it touches");
    waiting.push_back(step);
    if (together == 0 && waiting.size() == steps_tried) together = known(waiting, 0, steps_tried).first_cluster;
    std::size_t begin = 0;
    for (; together > 0 && begin + together <= waiting.size(); begin += together) {
      launch_part(waiting, begin, begin + together, stream);
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  launch_part(waiting, 0, waiting.size(), stream);
}

const StripLauncher::Known& StripLauncher::known(const std::vector<Step>& steps, std::size_t begin, std::size_t end) {
  std::vector<TileStep> own;
  for (std::size_t n = begin; n < end; ++n) own.push_back({steps[n].work.rows, steps[n].touches});
  const auto found = std::ranges::find(known_, own, &Known::steps);
  if (found != known_.end()) return *found;
  TileSchedule made = tile_schedule(TileGraph(own), times_);
  if (known_.size() == most_known) known_.pop_front();
  const std::size_t first = made.clusters.front().size();
  known_.push_back({std::move(own), std::move(made.tiling.sequence), first});
  return known_.back();
}

}  // namespace terrace::graph
