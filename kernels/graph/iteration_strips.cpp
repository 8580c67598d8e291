#include "kernels/graph/iteration_strips.hpp"

#include <algorithm>

#include "kernels/graph/measured.hpp"
#include "kernels/graph/tiling/clusters.hpp"

namespace terrace::graph {
namespace {

/// Steps that are looked at; the others are like these.
constexpr i64 most_steps = 48;

/// Steps of an iteration in made-up memory: array after array, and two buffers of the states.
class MadeUpSteps {
 public:
  explicit MadeUpSteps(const Iteration& iteration)
      : iteration_(iteration),
        row_bytes_(iteration.shape().columns * static_cast<i64>(size_of(iteration.body.type))) {}

  TileStep step(i64 number) const {
    TileStep made{{0, iteration_.shape().rows}, {}};
    const JoinedFormula& joined = *iteration_.joined;
    for (std::size_t n = 0; n < joined.sources.size(); ++n) {
      const formula::Reach reach = reach_of_source(joined.cells, static_cast<int>(n));
      Touch touch = touch_of(place_of(joined.sources[n].operand, number));
      touch.reach.low = reach.low[0], touch.reach.high = reach.high[0];
      touch.reach.boundary = joined.sources[n].boundary;
      made.touches.push_back(touch);
    }
    for (int state = 0; state < std::ssize(iteration_.next); ++state) {
      made.touches.push_back(touch_of(place_of(state, number + 1)));
      made.touches.back().writes = true;
    }
    return made;
  }

 private:
  i64 place_of(int input, i64 step) const {
    const bool is_state = as_index(input) < iteration_.states();
    return is_state && step % 2 != 0 ? input + std::ssize(iteration_.body.inputs) : input;
  }
  Touch touch_of(i64 place) const {
    Touch made;
    made.row_zero = made.memory = place * iteration_.shape().rows * row_bytes_;
    made.stride = made.bytes = row_bytes_;
    made.reach.extent = iteration_.shape().rows;
    return made;
  }

  const Iteration& iteration_;
  i64 row_bytes_;
};

}  // namespace

TimeTable times_of(const GraphSpec& spec) {
  if (spec.times) return *spec.times;
  return table_of_rates(measured::cuda_strip_seconds, measured::cuda_cache_bytes,
                        measured::cuda_cache_bytes_per_second, measured::cuda_bytes_per_second);
}

IterationStrips strips_of(const Iteration& iteration, const TimeTable& times) {
  if (!iteration.joined || iteration.times < 2) return {};
  const MadeUpSteps all(iteration);
  std::vector<TileStep> steps;
  for (i64 n = 0; n < std::min(iteration.times, most_steps); ++n) steps.push_back(all.step(n));
  const TileSchedule made = tile_schedule(TileGraph(std::move(steps)), times);
  return {std::ssize(made.clusters.front()), made.tiling.seconds / made.untiled_seconds};
}

}  // namespace terrace::graph
