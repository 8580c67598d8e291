// Constant data of a band of local alignments in 16 bits, which all lanes of a warp share.
#pragma once

#include "kernels/values/pair.cuh"
#include "kernels/wavefront/cuda/bands/borders.cuh"
#include "kernels/wavefront/cuda/pairs/memory.cuh"
#include "kernels/wavefront/pruning.hpp"

namespace terrace::wavefront {

/// @tparam words of a lane
template <class Problem, int words>
struct PairContext {
  using P = Problem;
  using Constants = typename P::template Constants<Word>;
  using WideConstants = typename P::template Constants<i64>;
  static constexpr int R = words, planes = P::row_planes, band_rows = 64 * R;
  using Memory = PairMemory<planes, R>;
  static_assert(P::column_planes == planes && can_prune<P>);

  __device__ PairContext(const SweepArguments& sweep_arguments, const WideConstants& constants, Memory& warp_memory)
      : arguments(sweep_arguments),
        k(P::template constants_as<Word>(constants)),
        band(warp_memory.band),
        memory(warp_memory),
        lane(lane_index()),
        width(warp_memory.band.width),
        rows(warp_memory.band.rows),
        borders(sweep_arguments, warp_memory.band) {}

  __device__ __forceinline__ bool is_column(i32 column) const {
    return static_cast<u32>(column) < static_cast<u32>(width);
  }
  /// The lane's row r, 0 <= r < 2 R, in the band.
  __device__ __forceinline__ i32 row_of(int r) const { return lane * 2 * R + r; }

  const SweepArguments& arguments;
  const Constants k;
  const KernelBand& band;
  Memory& memory;
  const int lane;
  const i32 width, rows;  // columns of the block, rows of the band
  const BandBorders<P, Word> borders;
};

}  // namespace terrace::wavefront
