// Data of a band that all lanes of the sweeping warp share and that do not change during the band.
#pragma once

#include "kernels/wavefront/cuda/bands/borders.cuh"
#include "kernels/wavefront/cuda/letters/items.cuh"
#include "kernels/wavefront/cuda/letters/memory.cuh"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

/// Cells that a sweep keeps: borders of blocks; also the table; or also some of its rows and columns.
enum class Keep { borders, table, lines };

/// @tparam Problem, Value whose cells are swept, and the type that they are computed in
/// @tparam rows, columns that a lane holds, and that it sweeps in a step
/// @tparam may_cut true if cells may be outside the problem's window
template <class Problem, class Value, int rows, int columns, Keep keep, bool may_cut>
struct WarpContext {
  using P = Problem;
  using V = Value;
  using Constants = typename P::template Constants<V>;
  using WideConstants = typename P::template Constants<i64>;
  using Item = ItemsOf<P, V>;
  static constexpr int R = rows, C = columns, planes = P::row_planes, band_rows = 32 * R;
  static constexpr bool keep_borders = keep == Keep::borders, keep_table = keep == Keep::table,
                        keep_lines = keep == Keep::lines, windowed = may_cut;
  using Sizes = measured::CudaLetters;
  static constexpr int table_pieces = !keep_table                                   ? 0
                                      : sizeof(V) == 4 && Sizes::tables_have_storer ? Sizes::table_pieces
                                                                                    : 2;
  using Memory = WarpMemory<V, planes, R, C, table_pieces, by_matrix<P>>;
  static_assert(keep_borders || C == 1, "tables are stored from one column a step");

  __device__ WarpContext(const SweepArguments& sweep_arguments, const WideConstants& wide, Memory& warp_memory)
      : arguments(sweep_arguments),
        constants(wide),
        k(P::template constants_as<V>(wide)),
        band(warp_memory.band),
        memory(warp_memory),
        lane(lane_index()),
        width(warp_memory.band.width),
        first_piece(warp_memory.pieces),
        first_kept(first_kept_of(warp_memory)),
        borders(sweep_arguments, warp_memory.band) {}

  __device__ __forceinline__ bool is_column(i32 column) const {
    return static_cast<u32>(column) < static_cast<u32>(width);
  }
  /// The column that lanes pass in piece p whose border is kept inside the block; -1: none.
  __device__ __forceinline__ i32 kept_column(i32 p) const {
    return keep_borders ? borders.kept_column((p - C) * piece, (p + 1) * piece) : -1;
  }

  __device__ static u32 first_kept_of(const Memory& memory) {
    if constexpr (Memory::Table::has_storer) return memory.table.pieces;
    else return 0;
  }

  const SweepArguments& arguments;
  const WideConstants& constants;
  const Constants k;
  const KernelBand& band;
  Memory& memory;
  const int lane;
  const i32 width;        // columns of the block
  const u32 first_piece;  // the number of the band's first piece, since the launch began
  const u32 first_kept;   // the same in the ring of the table
  const BandBorders<P, V> borders;
};

}  // namespace terrace::wavefront
