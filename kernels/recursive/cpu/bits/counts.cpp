// Updates of tiles of counts on the CPU.
#include "kernels/recursive/cpu/bits/counts.hpp"

#include <vector>

#include "kernels/device/for_instruction_set.hpp"
#include "kernels/recursive/cpu/blocks.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using CountKernel = void (*)(const CountProduct&);

class CountsOnCpu : public CpuUpdates {
 public:
  CountsOnCpu(device::ThreadPool& pool, CountKernel kernel)
      : CpuUpdates(pool), kernel_(kernel), scratch_(static_cast<std::size_t>(pool.size())) {}

 private:
  /// Words of 32 columns of a piece of work of a thread, at most.
  static constexpr i64 most_words = 32;

  TileResult compute(const TileTask& task) override {
    if (task.function != Function::d) throw DeviceError("updates of counts", "they are products alone");
    TileResult result{};
    result.negative_pivot = -1;
    begin_as<i32>(task);
    if (task.rows == 0 || task.columns == 0) return result;
    const i64 words = (task.columns + 31) / 32, high = (task.rows + count_rows - 1) / count_rows;
    const i64 wide = std::min(most_words, (words + threads() - 1) / threads());
    in_turn(high * ((words + wide - 1) / wide), [&](i64 number, int thread) {
      const i64 row = number % high * count_rows, word = number / high * wide;
      count(task, row, word, std::min(task.columns - 32 * word, 32 * wide), thread);
    });
    return result;
  }

  /// Counts `columns` columns from a word on, of count_rows rows.
  void count(const TileTask& task, i64 row, i64 word, i64 columns, int thread) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)].with_room(task.rows, task.depth);
    kernel_({rows_counted(task.rows - row), columns, task.depth,
             static_cast<const u32*>(task.u) + row * task.u_stride, task.u_stride,
             static_cast<const u32*>(task.v) + word, task.v_stride,
             static_cast<i32*>(task.x) + row * task.x_stride + 32 * word, task.x_stride, scratch.packed_u.data(),
             scratch.tables.data(), scratch.few.data(), scratch.sums.data()});
  }

  struct Scratch {
    i64 rows = 0, depth = 0;
    values::AlignedArray<u8> tables, few;
    values::AlignedArray<i32> sums;
    values::AlignedArray<u32> packed_u;

    Scratch& with_room(i64 for_rows, i64 for_depth) {
      if (for_rows <= rows && for_depth <= depth) return *this;
      rows = std::max(rows, for_rows);
      depth = std::max(depth, for_depth);
      tables = values::AlignedArray<u8>(count_tables_size);
      few = values::AlignedArray<u8>(count_sums(rows));
      sums = values::AlignedArray<i32>(count_sums(rows));
      packed_u = values::AlignedArray<u32>(packed_count_words(rows, depth));
      return *this;
    }
  };

  CountKernel kernel_;
  std::vector<Scratch> scratch_;
};

}  // namespace

std::size_t counts_cpu_bytes(std::int64_t side) { return static_cast<std::size_t>(count_bytes(side, side)); }

std::unique_ptr<device::BlockKernel> make_counts_cpu(device::ThreadPool& pool, device::InstructionSet set) {
  return std::make_unique<CountsOnCpu>(
      pool, device::for_instruction_set(set, sse2::count_bits, avx2::count_bits, avx512::count_bits));
}

}  // namespace terrace::recursive
