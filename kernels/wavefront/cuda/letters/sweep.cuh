// Sweeps of wavefront problems on letters and values: bands of rows, hyperplane kernel tiles in registers.
//
// A warp walks over a band of 32 x R rows from left to right, C columns a step. Lane l holds R rows in registers and
// is C columns behind lane l - 1, from which it takes H and F by shuffle. The last lane keeps its lowest row in
// shared memory, and the warp hands it to the band below through a tagged row (tagged.cuh), a piece of 32 columns at
// a time; the first lane takes the cells of the band above in such pieces, which a courier brings.
//
// Most pieces are swept by a loop that ignores edges and follows the largest cell and its row, by a key that holds
// both. The column of the cell to report is found at the band's end: the state at the beginning of the piece that has
// it is kept, and the piece is swept again, exactly, unless a larger cell is known by then. If work may be left out,
// a warp skips pieces that cannot reach the best cell known: all of its values are 0 then, as if the table began
// after them.
//
// This header decides how each piece is swept. The parts: values that lanes hold (lane_rows.cuh, lane_cells.cuh),
// inputs and outputs (courier.cuh, piece_intake.cuh, row_output.cuh), the inner loop (steps.cuh) and the best cell
// (best_cell.cuh).
#pragma once

#include "kernels/wavefront/cuda/letters/courier.cuh"
#include "kernels/wavefront/cuda/letters/steps.cuh"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/rules/window_pieces.hpp"

namespace terrace::wavefront {

/// One band on its way through a warp. All members are called by all lanes.
/// @tparam windowed true if cells may be outside the problem's window
template <class P, class V, int R, int C, Keep keep, bool windowed>
class LetterSweep {
  using Warp = WarpContext<P, V, R, C, keep, windowed>;

 public:
  using WideConstants = typename Warp::WideConstants;
  using Memory = typename Warp::Memory;
  using Problem = P;
  using Value = V;
  using Sizes = measured::CudaLetters;
  /// Where R rows a lane leave few registers to others, a courier has two sweeping warps.
  static constexpr int bands_of_courier = R * static_cast<int>(sizeof(V)) > Sizes::most_lane_bytes_of_courier ? 2 : 1;
  /// Warps of a thread block that sweep: where tables fill shared memory, one. Couriers come behind them.
  static constexpr int sweepers = keep == Keep::table ? 1 : sweep_threads / 32;
  static constexpr int couriers = sweepers / bands_of_courier;
  /// Warps that store tables, behind the couriers.
  static constexpr bool has_storer = Memory::Table::has_storer;
  static constexpr int threads = 32 * (sweepers + couriers + (has_storer ? sweepers : 0));
  /// Of a multiprocessor, at the registers and the shared memory that they take.
  static constexpr int blocks = has_storer            ? Sizes::storer_blocks
                                : keep == Keep::table ? Sizes::table_blocks
                                                      : Sizes::blocks;
  /// Kept lines go on beyond the window.
  static constexpr bool cuts_to_window = windowed && !Warp::keep_lines;

  __device__ LetterSweep(const SweepArguments& arguments, const WideConstants& constants, Memory& memory)
      : warp_(arguments, constants, memory), lanes_(arguments, memory.band) {}

  /// Sweeps the band and writes its borders; false when the launch is over before that.
  __device__ __forceinline__ bool run(Candidate& found) {
    lanes_.rows.load(warp_);
    lanes_.cells.load_left(warp_, lanes_.rows);
    lanes_.intake.clear_before(warp_);
    if constexpr (by_matrix<P>) lanes_.rows.make_profile(warp_);
    if constexpr (Warp::keep_lines) {
      lines_.begin(warp_.arguments, warp_.band, warp_.band.first_row + warp_.lane * R, lanes_.rows.count());
    }
    const bool swept = sweep(found);
    // A launch that is over: nobody takes another band.
    if constexpr (has_storer) {
      if (!swept) warp_.memory.table.end();
    }
    return swept;
  }

  /// The work of a warp that does not sweep, of number `helper` among these.
  __device__ static void help(const SweepArguments& arguments, const WideConstants& constants, Memory* memories,
                              int helper) {
    if constexpr (has_storer) {
      if (helper >= couriers) {
        Memory& memory = memories[helper - couriers];
        return memory.table.template store<R>(arguments, memory.band);
      }
    }
    wavefront::carry<P, V, bands_of_courier>(arguments, constants, memories + bands_of_courier * helper);
  }

 private:
  static constexpr bool reports_best = P::report == Report::best;
  static constexpr bool prunes = can_prune<P> && keep == Keep::borders;

  __device__ __forceinline__ bool sweep(Candidate& found) {
    if constexpr (LaneRows<Warp>::can_code && !Warp::keep_lines) {
      if (lanes_.rows.code(warp_)) return sweep<true>(found);
    }
    return sweep<false>(found);
  }
  template <bool coded>
  __device__ __forceinline__ bool sweep(Candidate& found) {
    const KernelBand& band = warp_.band;
    // The last lane ends 31 * C columns later than the first.
    const i32 own = (warp_.width + piece - 1) / piece, pieces = own > 0 ? own + C : 0;
    lanes_.intake.announce(warp_, coded);
    looks_along_ = may_end_along_row();
    rows_matter_ = band.rows < Warp::band_rows && (band.rows == 0 || band.task.bottom || looks_along_);
    if constexpr (reports_best) {
      bound_.begin(warp_);
      best_.begin();
    }
    gives_ = band.task.bottom || looks_along_;
    attends_ = device::kept_in_register(gives_ || warp_.arguments.launch.delay_seed != 0);
    lanes_.output.begin(warp_);
    is_plain_ = !Warp::keep_lines && !rows_matter_;
    if constexpr (reports_best) {
      is_plain_ = is_plain_ && bound_.all_have_keys() && (coded || band.rows == Warp::band_rows);
    }
    idles_ = may_idle<coded>();
    if constexpr (windowed) {
      edges_ = window_pieces(window_of<P, V>(warp_.k), diagonal_of(band), Warp::band_rows, C);
    }
    for (i32 p = 0; p < pieces; ++p) {
      bool taken = false;
      if constexpr (!Warp::keep_lines) {
        if (!sweep_plain_pieces<coded>(p, plain_until<coded>(p), taken)) return false;
        if (p == pieces) break;
      }
      if (!taken && !take_piece<coded>(p)) return false;
      if constexpr (Warp::keep_lines) sweep_exactly<false, false>(p);  // any cell may be one of a kept line
      else sweep_edge_piece<coded>(p);
      end_piece(p);
    }
    if (warp_.arguments.border_columns == 0) lanes_.cells.store_right(warp_, lanes_.rows, 0);
    found = report<coded>();
    if constexpr (has_storer) end_table(own);
    if (warp_.lane == 0) {
      lanes_.intake.end(warp_, pieces);
      leave_out_pieces(warp_.arguments, band, skipped_, piece);
    }
    return true;
  }

  /// True if lanes that have not begun may be swept like the others, over the item 0: they do not change if all of
  /// their values are infinite, or 0 in local alignments, whose letters get no score with a column's code of 0.
  template <bool coded>
  __device__ __forceinline__ bool may_idle() {
    constexpr bool is_local = coded && reports_best;
    if constexpr (!is_local && !has_window<P>) return false;
    else return lanes_.cells.begin_idle(warp_, is_local ? V(0) : V(infinity));
  }

  /// True if lanes that have ended may be swept like the others, over the item 0 and below a border of 0: nobody
  /// needs their values. In local alignments they find no cell without an equal one in a row above, for such
  /// columns add no score.
  template <bool coded>
  __device__ __forceinline__ bool may_run_out() const {
    if (warp_.band.task.right && warp_.arguments.border_columns == 0) return false;
    if constexpr (reports_best) return coded;
    else if constexpr (P::report == Report::last) return !warp_.band.last;
    else return !warp_.band.last && !P::ends(warp_.k).last_column;
  }

  /// End of the plain pieces from p on: all columns of lanes that have begun, and of lanes that must not run out, are
  /// in the block, none of them is kept inside the block, and no piece has cells on both sides of the window.
  template <bool coded>
  __device__ i32 plain_until(i32 p) const {
    if (!is_plain_) return p;
    i32 end = may_run_out<coded>() ? (warp_.width + piece - 1) / piece + C : warp_.width / piece;
    if constexpr (windowed) {
      if (p < C && !idles_ && edges_.crosses(p)) return p;
      if (p < C && !idles_) end = static_cast<i32>(minimum(i64(end), edges_.right_begin));
      end = static_cast<i32>(edges_.end_of_single(p, end));
    }
    const SweepArguments& a = warp_.arguments;
    if (keep == Keep::borders && a.border_columns > 0) {
      if (warp_.kept_column(p) >= 0) return p;
      const i32 first = maximum(p - C, 0) * piece;
      end = minimum(end, (first + a.border_columns - 1 - (warp_.band.start + first) % a.border_columns) / piece);
    }
    return end;
  }
  /// Waits until piece p is there. False when the launch is over before that.
  template <bool coded>
  __device__ __forceinline__ bool take_piece(i32 p) {
    if (!lanes_.intake.template take<coded>(warp_, p, known_)) return false;
    if constexpr (has_storer) warp_.memory.table.wait_for_place(warp_.first_kept + static_cast<u32>(p));
    return true;
  }

  /// Sweeps pieces [p, end), which are plain; p is the next one then. Stops before one that must be swept exactly,
  /// which is taken then. False when the launch is over before that.
  template <bool coded>
  __device__ __forceinline__ bool sweep_plain_pieces(i32& p, i32 end, bool& taken) {
    constexpr Scoring scoring = coded ? Scoring::coded : Scoring::plain;
    for (; p < end; ++p) {
      if (!take_piece<coded>(p)) return false;
      bool follows = false, skips = false;
      if constexpr (reports_best) follows = bound_.reaches(largest_entering(), known_);
      if constexpr (prunes) skips = warp_.arguments.prunes && can_skip(p);
      taken = coded && lanes_.intake.has_odd_letters() && !skips;
      if (taken) break;
      if (skips) {
        skip_piece(p);
      } else {
        skips_ = false;
        if (follows) begin_following();
        if (windowed && edges_.crosses(p)) sweep_window_edge<scoring>(p);
        else if (p < C && !idles_) lanes_.template fast_steps<scoring, reports_best, Edges::left>(warp_, p);
        else if (follows) lanes_.template fast_steps<scoring, reports_best, Edges::none>(warp_, p);
        else lanes_.template fast_steps<scoring, false, Edges::none>(warp_, p);
        if constexpr (reports_best) {
          if (follows) best_.end_piece(warp_, lanes_.intake, p, lanes_.most, known_);
        }
      }
      end_piece(p);
    }
    return true;
  }

  /// A plain piece with cells on one side of the window.
  template <Scoring scoring>
  __device__ __forceinline__ void sweep_window_edge(i32 p) {
    if constexpr (windowed) {
      const i32 edge = static_cast<i32>(edges_.edge_of(p));
      const bool odd = LaneSteps<Warp>::has_parity && (edge & 1) != 0;
      if (odd) lanes_.template fast_steps<scoring, false, Edges::odd>(warp_, p, edge);
      else lanes_.template fast_steps<scoring, false, Edges::even>(warp_, p, edge);
    }
  }

  /// A piece that is not plain, or has letters that are not below 4.
  template <bool coded>
  __device__ __forceinline__ void sweep_edge_piece(i32 p) {
    const bool keeps_column = warp_.kept_column(p) >= 0;
    bool skips = false;
    if constexpr (prunes) skips = warp_.arguments.prunes && !keeps_column && can_skip(p);
    bool exact = keeps_column || rows_matter_ || (coded && lanes_.intake.has_odd_letters());
    bool follows = false;
    if constexpr (reports_best) {
      const i64 known = static_cast<i64>(known_);
      follows = bound_.all_have_keys() && bound_.gain() >= known;
      if (!follows) {
        const i64 most = static_cast<i64>(maximum_of_warp(largest_entering())) + bound_.gain();
        follows = most >= known;
        exact = exact || (follows && most > CellKey<V, R>::most);
      }
    }
    if (skips) return skip_piece(p);
    skips_ = false;
    if (exact) return sweep_exactly<coded, false>(p);
    if (follows) begin_following();
    lanes_.template fast_steps<coded ? Scoring::coded : Scoring::plain, reports_best, Edges::any>(warp_, p);
    if constexpr (reports_best) {
      if (follows) best_.end_piece(warp_, lanes_.intake, p, lanes_.most, known_);
    }
  }
  template <bool coded, bool replay>
  __device__ __forceinline__ void sweep_exactly(i32 p) {
    lanes_.template exact_steps<coded, replay>(warp_, p, exact_, lines_);
    if constexpr (reports_best) best_.end_piece(warp_, exact_, known_);
  }
  __device__ __forceinline__ void begin_following() {
    lanes_.cells.save(warp_, best_.copy());
    lanes_.most = V(0);
  }

  /// Work after every piece: the values below it are handed down, and stored if they are kept; pieces that all lanes
  /// have passed may be replaced.
  __device__ __forceinline__ void end_piece(i32 p) {
    __syncwarp();
    lanes_.output.hand_down(warp_, p);
    lanes_.intake.release(warp_, p);
    if (attends_ != 0) device::random_delay(warp_.arguments.launch, warp_.band.ticket + static_cast<u32>(p));
    if ((Warp::keep_table || (attends_ != 0 && gives_)) && p >= C) give_piece(p - C);
    if constexpr (Warp::keep_table) __syncwarp();  // the next piece's cells replace those given
  }
  /// Writes the complete part of piece p: the border below the band, the table.
  __device__ __forceinline__ void give_piece(i32 p) {
    if constexpr (Warp::keep_table) {
      auto& table = warp_.memory.table;
      const u32 number = warp_.first_kept + static_cast<u32>(p);
      const int place = static_cast<int>(table.place_of(number));
      if constexpr (has_storer) table.give(number, p * piece);
      else store_table_piece<V, R>(warp_.arguments, warp_.band, table.cells, place * piece, p * piece, warp_.lane);
    }
    const i32 column = p * piece + warp_.lane;
    if ((!warp_.band.task.bottom && !looks_along_) || column >= warp_.width) return;
    if constexpr (P::report == Report::ends) {
      if (looks_along_) end_.look(warp_.memory.bottom[0][Memory::kept_at(column)], warp_.band.rows - 1, column);
    }
    if (!warp_.band.task.bottom) return;
    lanes_.output.store_bottom(warp_, column);
  }

  /// After the band's last piece: waits until all are stored, so that the band may be reported as finished.
  /// @param pieces of the band's columns
  __device__ __forceinline__ void end_table(i32 pieces) {
    if (pieces == 0) return;
    auto& table = warp_.memory.table;
    const u32 after = warp_.first_kept + static_cast<u32>(pieces);
    table.give(after, table.nothing);
    table.wait_for_store(after - 1);
    if (warp_.lane == 0) table.pieces = after + 1;
  }

  /// The largest H that enters this lane's part of the piece that was taken last. E and F are never larger than the H
  /// that they come from.
  __device__ __forceinline__ V largest_entering() const {
    const V most = warp_.memory.top[0][lanes_.intake.top_at() + static_cast<u32>(warp_.lane)];
    return skips_ ? most : lanes_.cells.largest(most);
  }

  /// True if piece p may be left out (pruning.hpp): the part of the table that it represents begins in the band's
  /// first row, in the column of the last lane.
  __device__ __forceinline__ bool can_skip(i32 p) const {
    if (p < C) return false;
    const V most = largest_entering();
    const SweepArguments& a = warp_.arguments;
    const i64 row = warp_.band.task.row_begin + warp_.band.first_row;
    const i64 column = warp_.band.task.column_begin + p * piece - 31 * C;
    const i64 reached = reach(static_cast<i64>(most), P::gain(warp_.constants), row, a.rows, column, a.columns);
    return __all_sync(~0u, reached < static_cast<i64>(known_));
  }
  /// Leaves the lanes, and the output of the last lane, as piece p would if all values were zero.
  __device__ __forceinline__ void skip_piece(i32 p) {
    if (!skips_) lanes_.cells.clear();
    skips_ = true;
    ++skipped_;
    lanes_.output.keep_zeros(warp_, p);
  }

  /// True if an alignment may end anywhere in the band's lowest row.
  __device__ bool may_end_along_row() const {
    if constexpr (P::report != Report::ends) {
      return false;
    } else {
      const KernelBand& band = warp_.band;
      return P::ends(warp_.k).last_row && band.last && band.rows > 0 && band.task.row_end == warp_.arguments.rows;
    }
  }

  template <bool coded>
  __device__ Candidate report() {
    if constexpr (reports_best) {
      if constexpr (!Warp::keep_lines) {
        best_.replay_candidate(warp_, [this](i32 p, int copy) { replay<coded>(p, copy); });
      }
      return exact_.of_warp(warp_.band.first_row, warp_.lane);
    } else if constexpr (P::report == Report::last) {
      return last_cell();
    } else {
      return end_cell();
    }
  }
  /// Sweeps a piece again, for the exact cell. Its state remains in the lanes.
  template <bool coded>
  __device__ __forceinline__ void replay(i32 p, int copy) {
    lanes_.intake.template take_again<coded>(warp_, p);
    lanes_.cells.restore(warp_, copy);
    sweep_exactly<coded, true>(p);
  }

  /// The best cell where an alignment may end: of the lowest row it is known, now the last column comes.
  __device__ Candidate end_cell() {
    const bool all = P::ends(warp_.k).last_column;
    // Row of the band.
    const i64 last = warp_.arguments.rows - 1 - warp_.band.task.row_begin - warp_.band.first_row;
    if (warp_.band.task.column_end == warp_.arguments.columns && warp_.width > 0) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const i32 row = warp_.lane * R + r;
        if (r < lanes_.rows.count() && (all || row == last)) end_.look(lanes_.cells.h[r], row, warp_.width - 1);
      }
    }
    Candidate end = end_.of_warp(warp_.band.first_row);
    end.column += warp_.band.start;
    return end;
  }

  /// Without columns it is the border's.
  __device__ Candidate last_cell() {
    const KernelBand& band = warp_.band;
    const i32 row = band.rows - 1;
    const int copy = best_.copy();
    lanes_.cells.save(warp_, copy);
    __syncwarp();
    i64 score = reported(warp_.memory.state[copy][row < 0 ? 0 : row % R][row < 0 ? 0 : row / R]);
    if (warp_.width == 0) score = reported(lanes_.cells.left_h(warp_, band.first_row + row));
    return {score, band.first_row + row, band.start + warp_.width - 1, band.last};
  }

  const Warp warp_;
  LaneSteps<Warp> lanes_;
  V known_{};           // largest cell of the launch that is known of
  bool skips_ = false;  // the last piece was left out, so that all values are 0
  i32 skipped_ = 0;     // pieces that were
  BestCell<Warp> best_;
  bool looks_along_ = false;  // an alignment may end anywhere in the band's lowest row
  u32 attends_ = 0;           // each piece needs more work than sweeping it
  bool gives_ = false;        // some array of the block takes the values below the band
  bool is_plain_ = false;     // pieces without edges are plain (plain_until)
  bool idles_ = false;        // also columns of lanes that have not begun
  WindowPieces edges_;        // of a problem with a window
  bool rows_matter_ = false;  // there are rows below the band's last whose values do harm
  PieceBound<Warp> bound_;
  LaneBest<V, R> exact_;
  LaneEnd<P, V> end_;
  LaneLines<P, V, R> lines_;
};

}  // namespace terrace::wavefront
