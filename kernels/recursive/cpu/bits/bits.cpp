// Updates of tiles of bits on the CPU.
#include "kernels/recursive/cpu/bits/bits.hpp"

#include <vector>
#include "kernels/device/for_instruction_set.hpp"

#include "kernels/recursive/cpu/blocks.hpp"
#include "kernels/recursive/cpu/tiles.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;
using device::u8;
using Kernel = void (*)(const BitProduct&);

constexpr i64 pivot_words = base_size / 32;

class BitsOnCpu : public CpuUpdates {
  using Tile = Matrix<u32>;
  using Factor = Matrix<const u32>;

 public:
  BitsOnCpu(device::ThreadPool& pool, Kernel kernel, bool packed)
      : CpuUpdates(pool), kernel_(kernel), packed_(packed) {
    for (int thread = 0; thread < pool.size(); ++thread) tables_.emplace_back(bit_tables_size);
  }

 private:
  TileResult compute(const TileTask& task) override {
    const Tile x{static_cast<u32*>(task.x), task.x_stride};
    const Factor u{static_cast<const u32*>(task.u), task.u_stride}, v{static_cast<const u32*>(task.v), task.v_stride};
    begin_as<u32>(task);
    switch (task.function) {
      case Function::a:
        close(x, task.rows, task.columns);
        break;
      case Function::c:
        in_pieces(task.rows, operations(task.rows, task.columns, task.depth), [&](i64 begin, i64 end, int thread) {
          const Tile part{x.at(begin, 0), x.stride};
          multiply(part, part.read(), v, end - begin, task.columns, task.depth, thread);
        });
        break;
      default:
        by_words(x, u, task.function == Function::b ? x.read() : v, task.rows, 0, task.columns, task.depth);
    }
    if (task.last != 0) end(task, x);
    TileResult result{};
    result.negative_pivot = -1;
    return result;
  }

  static double operations(i64 rows, i64 words, i64 depth) {
    return static_cast<double>(rows) * static_cast<double>(words) * static_cast<double>(depth) / 16;
  }

  void multiply(const Tile& x, const Factor& u, const Factor& v, i64 rows, i64 words, i64 depth, int thread) {
    kernel_({rows, words, depth, u.data, u.stride, v.data, v.stride, x.data, x.stride,
             tables_[static_cast<std::size_t>(thread)].data()});
  }

  /// Words [from, to) of x by the same words of v: each thread makes tables for its own.
  void by_words(const Tile& x, const Factor& u, const Factor& v, i64 rows, i64 from, i64 to, i64 depth) {
    in_pieces(to - from, operations(rows, to - from, depth), [&](i64 begin, i64 end, int thread) {
      multiply({x.at(0, from + begin), x.stride}, u, {v.at(0, from + begin), v.stride}, rows, end - begin, depth,
               thread);
    });
  }

  /// Closes a tile: for base_size pivots after another their own square, their rows, their columns, and all else.
  void close(const Tile& x, i64 size, i64 words) {
    for (i64 k = 0; k < size; k += base_size) {
      const i64 depth = std::min(base_size, size - k), word = k / 32, after = std::min(words, word + pivot_words);
      const Tile pivots{x.at(k, word), x.stride};
      close_base(pivots, depth, after - word);
      const Tile rows{x.at(k, 0), x.stride}, columns{x.at(0, word), x.stride}, all{x.at(0, 0), x.stride};
      for (const auto& [from, to] : {std::pair(i64{0}, word), std::pair(after, words)}) {
        by_words(rows, pivots.read(), rows.read(), depth, from, to, depth);
      }
      multiply(columns, columns.read(), pivots.read(), size, after - word, depth, 0);
      for (const auto& [from, to] : {std::pair(i64{0}, word), std::pair(after, words)}) {
        by_words(all, columns.read(), rows.read(), size, from, to, depth);
      }
    }
  }

  static void close_base(const Tile& x, i64 size, i64 words) {
    for (i64 k = 0; k < size; ++k) {
      for (i64 i = 0; i < size; ++i) {
        if ((*x.at(i, k / 32) >> k % 32 & 1) == 0) continue;
        for (i64 w = 0; w < words; ++w) *x.at(i, w) |= *x.at(k, w);
      }
    }
  }

  /// Gives out a tile that no other update follows, as bytes of eight cells or of one.
  void end(const TileTask& task, const Tile& x) {
    in_pieces(task.rows, static_cast<double>(task.rows) * static_cast<double>(task.output_columns),
              [&](i64 from, i64 to, int) {
                for (i64 i = from; i < to; ++i) {
                  u8* out = static_cast<u8*>(task.output) + i * task.output_stride;
                  const u32* row = x.at(i, 0);
                  for (i64 j = 0; j < task.output_columns; ++j) {
                    out[j] = packed_ ? static_cast<u8>(row[j / 4] >> 8 * (j % 4))
                                     : static_cast<u8>(row[j / 32] >> j % 32 & 1);
                  }
                }
              });
  }

  Kernel kernel_;
  bool packed_;
  std::vector<values::AlignedArray<u32>> tables_;
};

}  // namespace

bool has_bits(Table table) { return table == Table::bits || table == Table::packed_bits; }
bool has_bit_factors(Table table) { return has_bits(table) || table == Table::counts; }

std::unique_ptr<device::BlockKernel> make_bits_cpu(const TileSpec& spec, device::ThreadPool& pool,
                                                   InstructionSet set) {
  const Kernel kernel = device::for_instruction_set(set, sse2::or_bits, avx2::or_bits, avx512::or_bits);
  return std::make_unique<BitsOnCpu>(pool, kernel, spec.table == Table::packed_bits);
}

}  // namespace terrace::recursive
