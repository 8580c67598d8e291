// Time warping with a pair in each lane.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/pairs/cpu/groups.hpp"
#include "kernels/pairs/cpu/lanes.hpp"
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
  SeriesOnCpu(const PairsSpec& spec, int problem, i64 window, device::CpuContext& context, InstructionSet set)
      : CpuBlocks(context.pool()),
        function_(device::for_instruction_set(set, sse2::series_function, avx2::series_function,
                                              avx512::series_function)(problem, sizeof(T) == 8)),
        lanes_(values::vector_bytes(set) / static_cast<i64>(sizeof(T))),
        window_(window),
        at_most_(spec.at_most.value_or(std::numeric_limits<double>::infinity())),
        scratch_(static_cast<std::size_t>(threads())) {}

 protected:
  PairsResult compute(const PairsTask& task) override {
    const Groups groups = groups_of(task, lanes_, false);
    in_turn(std::ssize(groups.groups), [&](i64 number, int thread) {
      const Group& group = groups.groups[static_cast<std::size_t>(number)];
      compute_group(task, groups.order.data() + group.begin, group.count, scratch_[static_cast<std::size_t>(thread)]);
    });
    return {};
  }

 private:
  using Item = std::span<const T>;

  void compute_group(const PairsTask& task, const i64* numbers, i64 count, SeriesScratch<T>& scratch) const {
    std::array<Item, most_lanes> rows, columns;
    std::array<LaneItem, most_lanes> items{};
    std::array<T, most_lanes> scores;
    scores.fill(std::numeric_limits<T>::infinity());
    SeriesWork work{};
    work.least_rows = i64{1} << 40;
    work.lanes = count;
    work.window = window_;
    for (i64 lane = 0; lane < count; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      const auto [row, column] = pair_of(task, numbers[lane]);
      rows[at] = item_of<T>(task.rows, task.row_begin, row);
      columns[at] = item_of<T>(task.columns, task.column_begin, column);
      const i64 n = std::ssize(rows[at]), m = std::ssize(columns[at]);
      // Without a cell, or with the last one outside the window, the cost is infinite.
      if (n == 0 || m == 0 || !wavefront::in_window(window_, n, m)) continue;
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
      work.memory = scratch.take(series_bytes(work.rows));
      function_(work);
    }
    for (i64 lane = 0; lane < count; ++lane) {
      const T score = scores[static_cast<std::size_t>(lane)];
      const bool missed = static_cast<double>(score) > at_most_;
      static_cast<T*>(task.scores)[numbers[lane]] = missed ? std::numeric_limits<T>::infinity() : score;
      if (task.ends != nullptr) {
        task.ends[numbers[lane]] = {static_cast<i32>(std::ssize(rows[static_cast<std::size_t>(lane)])),
                                    static_cast<i32>(std::ssize(columns[static_cast<std::size_t>(lane)]))};
      }
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
  i64 lanes_, window_;
  double at_most_;
  std::vector<SeriesScratch<T>> scratch_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_series_lanes(const PairsSpec& spec, device::CpuContext& context,
                                                       InstructionSet set) {
  std::unique_ptr<device::BlockKernel> made;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::items == wavefront::Items::values) {
      const i64 window = wavefront::window_of<P, i64>(wavefront::problem_constants<P>(spec.settings));
      const int problem = wavefront::Problems::index<P>();
      if (spec.value == ElementType::f32)
        made = std::make_unique<SeriesOnCpu<float>>(spec, problem, window, context, set);
      else made = std::make_unique<SeriesOnCpu<double>>(spec, problem, window, context, set);
    }
  });
  return made;
}

}  // namespace terrace::pairs
