// Time warping with a pair in each lane. Where there is a limit, pairs that are sure to exceed it by a lower bound
// have no lane.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include <numeric>
#include <vector>

#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/pairs/cpu/groups.hpp"
#include "kernels/pairs/cpu/lanes.hpp"
#include "kernels/pairs/cpu/series_bounds.hpp"
#include "kernels/pairs/cpu/work.hpp"
#include "kernels/pairs/plain.hpp"
#include "kernels/values/aligned_array.hpp"
#include "kernels/values/vectors.hpp"

namespace terrace::pairs {
namespace {

using device::InstructionSet;
using values::AlignedArray;

/// Memory of a thread, which grows.
template <class T>
struct SeriesScratch {
  std::vector<T> rows, columns;
  Envelope<T> envelope;
  AlignedArray<u8> memory;
  i64 bytes = 0;

  u8* take(i64 wanted) {
    if (wanted > bytes) memory = AlignedArray<u8>(bytes = wanted);
    return memory.data();
  }
};

template <class T>
class SeriesOnCpu final : public device::CpuBlocks<PairsTask, PairsResult> {
 public:
  SeriesOnCpu(const PairsSpec& spec, int problem, const WarpingCosts& costs, device::CpuContext& context,
              InstructionSet set)
      : CpuBlocks(context.pool()),
        function_(device::for_instruction_set(set, sse2::series_function, avx2::series_function,
                                              avx512::series_function)(problem, sizeof(T) == 8)),
        lanes_(values::vector_bytes(set) / static_cast<i64>(sizeof(T))),
        costs_(costs),
        at_most_(spec.at_most.value_or(std::numeric_limits<double>::infinity())),
        scratch_(static_cast<std::size_t>(threads())) {}

 protected:
  PairsResult compute(const PairsTask& task) override {
    stopped_ = 0;
    const Groups groups = at_most_ < std::numeric_limits<double>::infinity()
                              ? groups_of(task, near_pairs(task), lanes_, false)
                              : groups_of(task, lanes_, false);
    in_turn(std::ssize(groups.groups), [&](i64 number, int thread) {
      const Group& group = groups.groups[static_cast<std::size_t>(number)];
      compute_group(task, groups.order.data() + group.begin, group.count, scratch_[static_cast<std::size_t>(thread)]);
    });
    return {.again = 0, .stopped = stopped_};
  }

 private:
  using Item = std::span<const T>;
  /// Pairs of one item of the columns that a thread takes at a time.
  static constexpr i64 most_of_run = 256;

  /// The pairs whose costs may be within the limit. The others are reported.
  std::vector<i64> near_pairs(const PairsTask& task) {
    std::vector<i64> numbers(static_cast<std::size_t>(task.count)), runs;
    std::iota(numbers.begin(), numbers.end(), i64{0});
    const auto column_of = [&](i64 place) { return pair_of(task, numbers[static_cast<std::size_t>(place)]).column; };
    std::stable_sort(numbers.begin(), numbers.end(),
                     [&](i64 a, i64 b) { return pair_of(task, a).column < pair_of(task, b).column; });
    for (i64 place = 0; place < task.count; ++place) {
      const bool begins =
          runs.empty() || place - runs.back() == most_of_run || column_of(place) != column_of(place - 1);
      if (begins) runs.push_back(place);
    }
    runs.push_back(task.count);
    in_turn(std::ssize(runs) - 1, [&](i64 run, int thread) {
      const auto at = static_cast<std::size_t>(run);
      mark_far(task, {numbers.data() + runs[at], numbers.data() + runs[at + 1]},
               scratch_[static_cast<std::size_t>(thread)].envelope);
    });
    std::erase(numbers, far);
    return numbers;
  }

  /// Reports the pairs of one item of the columns that are sure to exceed the limit, and makes their numbers `far`.
  void mark_far(const PairsTask& task, std::span<i64> numbers, Envelope<T>& envelope) {
    const Item columns = item_of<T>(task.columns, task.column_begin, pair_of(task, numbers[0]).column);
    const auto rows_of = [&](i64 number) { return item_of<T>(task.rows, task.row_begin, pair_of(task, number).row); };
    const auto has_cost = [&](const Item& rows) {
      return !rows.empty() && !columns.empty() &&
             wavefront::in_window(costs_.window, std::ssize(rows), std::ssize(columns));
    };
    i64 most = 0;
    for (const i64 number : numbers) {
      if (const Item rows = rows_of(number); has_cost(rows)) most = std::max<i64>(most, std::ssize(rows));
    }
    if (most > 0) make_envelope(columns, costs_.window, most, envelope);
    i64 stopped = 0;
    for (i64& number : numbers) {
      const Item rows = rows_of(number);
      if (has_cost(rows) && !(least_cost(costs_, rows, columns, envelope) > at_most_)) continue;
      stopped += has_cost(rows);
      report(task, number, std::numeric_limits<T>::infinity(), std::ssize(columns));
      number = far;
    }
    stopped_ += stopped;
  }

  void report(const PairsTask& task, i64 number, T score, i64 end) const {
    const bool missed = static_cast<double>(score) > at_most_;
    static_cast<T*>(task.scores)[number] = missed ? std::numeric_limits<T>::infinity() : score;
    if (task.ends == nullptr) return;
    const i64 rows = std::ssize(item_of<T>(task.rows, task.row_begin, pair_of(task, number).row));
    task.ends[number] = {rows, end};
  }

  void compute_group(const PairsTask& task, const i64* numbers, i64 count, SeriesScratch<T>& scratch) {
    std::array<Item, most_lanes> rows, columns;
    std::array<LaneItem, most_lanes> items{};
    std::array<T, most_lanes> scores;
    std::array<i32, most_lanes> ends{};
    scores.fill(std::numeric_limits<T>::infinity());
    SeriesWork work{};
    work.least_rows = i64{1} << 40;
    work.lanes = count;
    work.window = costs_.window;
    work.free_columns = costs_.free_columns;
    work.at_most = at_most_;
    for (i64 lane = 0; lane < count; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      const auto [row, column] = pair_of(task, numbers[lane]);
      rows[at] = item_of<T>(task.rows, task.row_begin, row);
      columns[at] = item_of<T>(task.columns, task.column_begin, column);
      const i64 n = std::ssize(rows[at]), m = std::ssize(columns[at]);
      // Without a cell, or with the last one outside the window, the cost is infinite.
      if (n == 0 || m == 0 || !wavefront::in_window(costs_.window, n, m)) continue;
      items[at] = {static_cast<i32>(n), static_cast<i32>(m)};
      work.rows = std::max(work.rows, n);
      work.columns = std::max(work.columns, m);
      work.least_rows = std::min(work.least_rows, n);
    }
    if (work.rows > 0) {
      write(rows, count, work.rows, scratch.rows);
      write(columns, count, (work.columns + most_block - 1) / most_block * most_block, scratch.columns);
      work.row_values = scratch.rows.data();
      work.column_values = scratch.columns.data();
      work.items = items.data();
      work.scores = scores.data();
      work.ends = ends.data();
      work.memory = scratch.take(series_bytes(work.rows));
      function_(work);
      stopped_ += work.left;
    }
    for (i64 lane = 0; lane < count; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      report(task, numbers[lane], scores[at], ends[at] > 0 ? ends[at] : std::ssize(columns[at]));
    }
  }

  /// Values of one place of all items one after another; beyond an item's end 0.
  void write(const std::array<Item, most_lanes>& items, i64 count, i64 places, std::vector<T>& out) const {
    out.assign(static_cast<std::size_t>(places * lanes_), T{0});
    for (i64 lane = 0; lane < count; ++lane) {
      const Item item = items[static_cast<std::size_t>(lane)];
      const i64 end = std::min<i64>(std::ssize(item), places);
      for (i64 i = 0; i < end; ++i)
        out[static_cast<std::size_t>(i * lanes_ + lane)] = item[static_cast<std::size_t>(i)];
    }
  }

  SeriesFunction function_;
  static constexpr i64 far = -1;  // in place of the number of a pair

  i64 lanes_;
  WarpingCosts costs_;
  double at_most_;
  std::atomic<i64> stopped_{0};
  std::vector<SeriesScratch<T>> scratch_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_series_lanes(const PairsSpec& spec, device::CpuContext& context,
                                                       InstructionSet set) {
  std::unique_ptr<device::BlockKernel> made;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::items == wavefront::Items::values) {
      const auto constants = wavefront::problem_constants<P>(spec.settings);
      const WarpingCosts costs{constants.window, spec.settings.text("cost") == "squared", constants.free_columns};
      const int problem = wavefront::Problems::index<P>();
      if (spec.value == ElementType::f32)
        made = std::make_unique<SeriesOnCpu<float>>(spec, problem, costs, context, set);
      else made = std::make_unique<SeriesOnCpu<double>>(spec, problem, costs, context, set);
    }
  });
  return made;
}

}  // namespace terrace::pairs
