// The inner loop of sweeps on letters or values: the lanes' way through a piece of 32 columns, C columns a step.
// fast_steps() keeps the columns of a step in flight at a time, along diagonals of independent cells; exact_steps()
// goes column by column, for pieces with edges, and inspects each cell.
#pragma once

#include "kernels/wavefront/cuda/bands/window.cuh"
#include "kernels/wavefront/cuda/letters/best_cell.cuh"
#include "kernels/wavefront/cuda/letters/kept_lines.cuh"
#include "kernels/wavefront/cuda/letters/lane_cells.cuh"
#include "kernels/wavefront/cuda/letters/lane_rows.cuh"
#include "kernels/wavefront/cuda/letters/piece_intake.cuh"
#include "kernels/wavefront/cuda/letters/row_output.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// Whose columns of a piece may be outside the block.
enum class Edges {
  none,
  left,  // of lanes that have not begun: they stay as they are
  even,  // none; cells on the diagonal just outside the window are infinite: row less column is even in a step's
         // cells
  odd,   // the same, and it is odd
  any,   // also of lanes that have ended; cells may be outside the window, and rows that must not be followed outside
         // the band
};

/// The cells and rows of a band in the lanes, and their steps. All lanes call all members. @tparam Warp a WarpContext
template <class Warp>
struct LaneSteps {
  using P = typename Warp::P;
  using V = typename Warp::V;
  using Memory = typename Warp::Memory;
  static constexpr int R = Warp::R, C = Warp::C, planes = Warp::planes;

  /// True if row less column on a diagonal of the table is even in the cells of all steps, or odd in all.
  static constexpr bool has_parity = R % 2 == 0 && C % 2 == 0;

  RowOutput<Warp> output;
  LaneRows<Warp> rows;
  LaneCells<Warp> cells;
  Columns<V, C> top[planes];  // H and F above the first lane's next columns
  Columns<V, C> item;         // items of the lane's next columns
  PieceIntake<Warp> intake;
  V most{};  // largest key of the piece, if its cells are followed

  __device__ LaneSteps(const SweepArguments& arguments, const KernelBand& band) : output(arguments, band) {}

  /// Piece p, with one scoring for all columns.
  /// @tparam follows the largest key goes to `most`
  /// @param edge WindowPieces::edge_of() where `edges` are those of the window
  template <Scoring scoring, bool follows, Edges edges>
  __device__ __forceinline__ void fast_steps(const Warp& warp, i32 p, i32 edge = 0) {
    constexpr int steps = edges == Edges::any ? 1 : unrolled, columns = C * steps;
    const V* items = intake.items(warp, p);
    i32 column = p * piece - warp.lane * C;
    edge -= warp.lane * (R + C);
    int kept = Memory::kept_at(output.passed(p));
    load_top_of_step(warp, 0);
    item = *reinterpret_cast<const Columns<V, C>*>(items);
#pragma unroll 1
    for (int at = 0; at < piece; at += columns) {
#pragma unroll
      for (int i = 0; i < steps; ++i) {
        // The memory after the piece may be about to be refilled: after its end comes its beginning.
        const int next = i + 1 < steps ? at + (i + 1) * C : (at + columns) % piece;
        fast_step<scoring, follows, edges>(warp, items + next, next, kept + i * C, column + i * C, edge + i * C);
        if constexpr (Warp::keep_table) keep_cells(warp, p * piece + at + i - warp.lane);
      }
      kept += columns;
      column += columns;
      edge += columns;
    }
  }

  /// Piece p column by column: some may be outside the block for some lanes, and rows outside the band.
  /// @param best inspects each column @param lines the kept lines
  /// @tparam replay for the report alone
  template <bool coded, bool replay>
  __device__ __forceinline__ void exact_steps(const Warp& warp, i32 p, LaneBest<V, R>& best,
                                              LaneLines<P, V, R>& lines) {
    const V* items = intake.items(warp, p);
    const i32 kept = replay ? -1 : warp.kept_column(p);
#pragma unroll 1
    for (int at = 0; at < piece; ++at) {
      V up = shuffle_up(cells.bottom[0]), f = planes == 2 ? shuffle_up(cells.bottom_f[0]) : V(0);
      if (warp.lane == 0) up = warp.memory.top[0][intake.top_at() + static_cast<u32>(at)];
      if (planes == 2 && warp.lane == 0) f = warp.memory.top[planes - 1][intake.top_at() + static_cast<u32>(at)];
#pragma unroll
      for (int c = 0; c + 1 < C; ++c) {
        cells.bottom[c] = cells.bottom[c + 1];
        cells.bottom_f[c] = cells.bottom_f[c + 1];
      }
      const i32 column = p * piece + at - warp.lane * C;
      if (!warp.is_column(column)) continue;
      const RowRange inside = rows_inside<Warp::windowed>(warp, column);
      exact_cells<coded>(warp, items[at], up, f, inside, [&](int r, const Cell<V>& cell) {
        if constexpr (Warp::keep_lines) lines.look(warp.arguments, r, column, cell.h, cell.e, cell.f);
      });
      if constexpr (Warp::keep_lines) lines.pass(warp.arguments, warp.band, column);
      if constexpr (Warp::keep_borders && !replay) {
        if (column == kept) {
          cells.store_right(warp, rows, (warp.band.start + column + 1) / warp.arguments.border_columns - 1);
        }
      }
      cells.bottom[C - 1] = up;
      cells.bottom_f[C - 1] = f;
      if constexpr (P::report == Report::best) best.look(cells.h, rows.count(), column);
      if constexpr (!replay) {
        output.template keep<1>(warp, Memory::kept_at(column), &up, &f);
        if constexpr (Warp::keep_table) keep_cells(warp, column);
      }
    }
  }

 private:
  /// Rows [begin, end) of the lane.
  struct RowRange {
    i32 begin, end;
  };
  using Sizes = measured::CudaLetters;
  /// Steps that the loop over a piece is unrolled by.
  static constexpr int unrolled = R * C >= Sizes::unrolled_cells ? 1
                                  : R * C * Sizes::most_unrolled < Sizes::unrolled_cells
                                      ? Sizes::most_unrolled
                                      : Sizes::unrolled_cells / (R * C);

  /// Reads the inputs of the next step before this step's chain of cells.
  /// @param next_items, next_at this lane's next items, and the first lane's next column, in the piece
  /// @param kept place in which the last lane keeps the step's output for the band below
  /// @param edge row less column, in the step's cells, of the diagonal just outside the window
  template <Scoring scoring, bool follows, Edges edges>
  __device__ __forceinline__ void fast_step(const Warp& warp, const V* next_items, int next_at, int kept, i32 column,
                                            i32 edge) {
    V up[C], f[C];
    cells.take_from_above(warp, top, up, f);
    load_top_of_step(warp, next_at);
    const Columns<V, C> here = item;
    item = *reinterpret_cast<const Columns<V, C>*>(next_items);
    if (edges == Edges::any && (column < 0 || column + C > warp.width)) {
      if (warp.is_column(column)) last_cells<scoring == Scoring::coded, follows>(warp, here.at, column, up, f);
      return;
    }
    fast_cells<scoring, follows, edges>(warp, here.at, column, edge, up, f);
    output.template keep<C>(warp, kept, up, f);
#pragma unroll
    for (int c = 0; c < C; ++c) {
      cells.bottom[c] = up[c];
      cells.bottom_f[c] = f[c];
    }
  }
  /// Reads the first lane's inputs from above columns [at, at + C) of the piece.
  __device__ __forceinline__ void load_top_of_step(const Warp& warp, int at) {
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      top[plane] =
          *reinterpret_cast<const Columns<V, C>*>(&warp.memory.top[plane][intake.top_at() + static_cast<u32>(at)]);
    }
  }
  /// The block's last columns if they are fewer than a step has.
  template <bool coded, bool follows>
  __device__ __forceinline__ void last_cells(const Warp& warp, const V (&items)[C], i32 column, V (&up)[C],
                                             V (&f)[C]) {
#pragma unroll
    for (int c = 0; c + 1 < C; ++c) {
      if (column + c >= warp.width) break;
      exact_cells<coded>(warp, items[c], up[c], f[c], rows_inside<Warp::windowed>(warp, column + c),
                         [](int, const Cell<V>&) {});
      if constexpr (follows) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
          if (r < rows.count()) most = maximum(most, CellKey<V, R>::of(cells.h[r], r));
        }
      }
      cells.bottom[c] = up[c];
      cells.bottom_f[c] = f[c];
      output.template keep<1>(warp, Memory::kept_at(column + c), up + c, f + c);
    }
  }

  /// C columns of the lane's rows, along the diagonals of independent cells.
  /// @param column the first one; a lane that has not begun does not change, and its output is not used
  template <Scoring scoring, bool follows, Edges edges>
  __device__ __forceinline__ void fast_cells(const Warp& warp, const V (&items)[C], i32 column, i32 edge, V (&up)[C],
                                             V (&f)[C]) {
    constexpr bool cuts = Warp::windowed && edges == Edges::any;
    const bool begun = edges != Edges::left || column >= 0;
    RowRange inside[C];
#pragma unroll
    for (int c = 0; c < C; ++c) inside[c] = rows_inside<cuts>(warp, column + c);
    using W = Swift<V, (R < 8)>;
    const auto k = P::template constants_as<W>(warp.constants);
    V diagonal[C];
    diagonal[0] = cells.diagonal;
#pragma unroll
    for (int c = 1; c < C; ++c) diagonal[c] = up[c - 1];
    cells.diagonal = begun ? up[C - 1] : cells.diagonal;
    V other{};
    int followed = 0;
#pragma unroll
    for (int front = 0; front < R + C - 1; ++front) {
#pragma unroll
      for (int c = 0; c < C; ++c) {
        const int r = front - c;
        if (r < 0 || r >= R) continue;
        const Around<W> around{as<W>(diagonal[c]), as<W>(up[c]), as<W>(cells.h[r]), as<W>(cells.e[r]), as<W>(f[c])};
        V item = items[c];
        // Any value is infinitely far from such an item, and no cell waits for it.
        if constexpr (edges == Edges::even || edges == Edges::odd) {
          if (may_be_outside<edges>(r - c)) item = r - c == edge ? V(infinity) : item;
        }
        const Cell<W> cell = rows.template cell<scoring>(warp, k, r, item, around);
        diagonal[c] = cells.h[r];
        up[c] = as<V>(cell.h);
        if constexpr (cuts) up[c] = r < inside[c].begin || r >= inside[c].end ? V(infinity) : up[c];
        f[c] = as<V>(cell.f);
        cells.h[r] = begun ? up[c] : cells.h[r];
        cells.e[r] = begun ? as<V>(cell.e) : cells.e[r];
        if constexpr (follows) {
          const V key = begun && (edges != Edges::any || r < rows.count()) ? CellKey<V, R>::of(up[c], r) : V(0);
          if (followed % 2 == 1) most = maximum(most, other, key);
          else if (followed + 1 == R * C) most = maximum(most, key);
          else other = key;
          ++followed;
        }
      }
    }
  }

  /// True if the diagonal just outside the window may be that one of a step's cells.
  template <Edges edges>
  __device__ __forceinline__ static constexpr bool may_be_outside(int diagonal) {
    return !has_parity || (diagonal & 1) == (edges == Edges::odd ? 1 : 0);
  }

  /// One column of the lane's rows. Rows below the band's last hand on the values above them.
  /// @param look called with a row of the lane and its cell, for each row of the band
  template <bool coded, class Look>
  __device__ __forceinline__ void exact_cells(const Warp& warp, V item, V& up, V& f, RowRange inside,
                                              const Look& look) {
    V diagonal = cells.diagonal;
    cells.diagonal = up;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const Around<V> around{diagonal, up, cells.h[r], cells.e[r], f};
      Cell<V> cell;
      if constexpr (coded) {
        if (Warp::Item::is_odd(item)) cell = P::template cell<V>(warp.k, around, rows.odd_score(warp, r, item));
        else cell = rows.template cell<Scoring::coded>(warp, warp.k, r, item, around);
      } else if constexpr (Warp::windowed) {
        const bool outside = r < inside.begin || r >= inside.end;
        cell = P::template cell<V>(warp.k, around, outside ? V(infinity) : rows.score(warp, r, item));
      } else {
        cell = rows.template cell<Scoring::plain>(warp, warp.k, r, item, around);
      }
      diagonal = cells.h[r];
      const bool real = r < rows.count();
      up = cells.h[r] = real ? cell.h : up;
      f = real ? cell.f : f;
      cells.e[r] = cell.e;
      if (real) look(r, cell);
    }
  }

  /// Rows of the lane whose cells in a column lie in the window. @tparam cuts some may not
  template <bool cuts>
  __device__ static RowRange rows_inside(const Warp& warp, i32 column) {
    if constexpr (cuts) {
      const i64 window = window_of<P, V>(warp.k), first = diagonal_of(warp.band) + warp.lane * R - column;
      return {static_cast<i32>(maximum(i64(0), minimum(-window - first, i64(R)))),
              static_cast<i32>(maximum(i64(0), minimum(window - first + 1, i64(R))))};
    } else {
      return {0, R};
    }
  }

  /// Keeps a column's cells for the table.
  __device__ __forceinline__ void keep_cells(const Warp& warp, i32 column) const {
    const u32 at = (warp.first_kept * piece + static_cast<u32>(column)) % decltype(warp.memory.table)::columns;
#pragma unroll
    for (int r = 0; r < R; ++r) warp.memory.table.cells[warp.lane * R + r][at] = cells.h[r];
  }
};

}  // namespace terrace::wavefront
