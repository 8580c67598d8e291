// Sweeps of wavefront problems on letters and values: bands of rows, hyperplane kernel tiles in registers. No host
// library header: also compiled at run time.
//
// A warp walks over a band of 32 x R rows from left to right, C columns a step. Lane l holds R rows in registers and
// is C columns behind lane l - 1, from which it takes H and F by shuffle. The last lane keeps its lowest row in
// shared memory, and the warp hands it to the band below through a tagged row (tagged.cuh), a piece of 32 columns at
// a time; the first lane takes what the band above has written in such pieces, which a courier brings.
//
// Most pieces are swept by a loop that knows nothing of edges and follows the largest cell and its row, by a key that
// holds both. In which column the cell to report is, is found out at the band's end: the state at the beginning of
// the piece that has it is kept, and the piece is swept again, exactly, unless a larger cell is known by then. Where
// work may be left out, a warp skips pieces that cannot reach the best cell known: all of its values are 0 then, as
// if the table began anew behind them.
#pragma once

#include "kernels/wavefront/cuda/bands/borders.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/cuda/letters/courier.cuh"
#include "kernels/wavefront/cuda/letters/kept_lines.cuh"
#include "kernels/wavefront/cuda/letters/lane_best.cuh"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/pruning.hpp"

namespace terrace::wavefront {

/// How the score of a cell is found.
enum class Scoring {
  plain,  // by the problem, from the items
  coded,  // for columns with letters below 4: a dot product of bytes, added to the diagonal on a pipe that is free
};

/// Whose columns of a piece may be outside the block.
enum class Edges {
  none,
  left,  // of lanes that have not begun: they stay as they are
  any,   // also of lanes that have ended; cells may be outside the window, and rows that must not be followed outside
         // the band
};

/// What a sweep keeps: borders of blocks; also the table; or also some of its rows and columns.
enum class Keep { borders, table, lines };

/// C values of neighbouring columns, loaded at a time.
template <class V, int C>
struct alignas(sizeof(V) * C) Columns {
  V at[C];
};

/// One band on its way through a warp. All members are called by all lanes.
/// @tparam windowed whether cells may be outside the problem's window
template <class P, class V, int R, int C, Keep keep, bool windowed>
class LetterSweep {
 public:
  static constexpr bool keep_table = keep == Keep::table, keep_lines = keep == Keep::lines;
  using Constants = typename P::template Constants<V>;
  using WideConstants = typename P::template Constants<i64>;
  static constexpr int planes = P::row_planes;
  static constexpr int band_rows = 32 * R;
  using Problem = P;
  using Value = V;
  /// Where R rows a lane leave few registers to others, a courier has two sweeping warps.
  static constexpr int bands_of_courier = R * static_cast<int>(sizeof(V)) > 64 ? 2 : 1;
  /// Warps of a thread block that sweep: where tables fill shared memory, one. Couriers come behind them.
  static constexpr int sweepers = keep == Keep::table ? 1 : sweep_threads / 32;
  static constexpr int threads = 32 * (sweepers + sweepers / bands_of_courier);
  /// Of a multiprocessor, at the registers that they take.
  static constexpr int blocks = keep == Keep::table ? 8 : 2;
  /// Kept lines go on beyond the window.
  static constexpr bool cuts_to_window = windowed && !keep_lines;
  using Memory = WarpMemory<V, planes, R, C, keep_table, by_matrix<P>>;
  static_assert(keep == Keep::borders || C == 1, "tables are stored from one column a step");

  __device__ LetterSweep(const SweepArguments& arguments, const WideConstants& constants, Memory& memory)
      : a_(arguments),
        constants_(constants),
        k_(P::template constants_as<V>(constants)),
        band_(memory.band),
        memory_(memory),
        lane_(lane_index()),
        width_(memory.band.width),
        first_piece_(memory.pieces),
        borders_(arguments, memory.band),
        row_(border_row(arguments, memory.band.block) + static_cast<i64>(memory.band.start) * Tagged::words),
        tag_(tag_of(memory.band.ticket)) {}

  /// Sweeps the band and writes its borders; false when the launch is over before that.
  __device__ __forceinline__ bool run(Candidate& found) {
    load_rows();
    load_left();
    clear_items_before();
    if constexpr (by_matrix<P>) make_profile<V, R>(letters_, memory_.profiles, lane_);
    if constexpr (keep_lines) lines_.begin(a_, band_, band_.first_row + lane_ * R, rows_here_);
    if constexpr (can_code && !keep_lines) {
      if (code_rows()) return sweep<true>(found);
    }
    return sweep<false>(found);
  }

  /// What a courier does, whose sweeping warps have these memories.
  __device__ static void carry(const SweepArguments& arguments, const WideConstants& constants, Memory* memories) {
    wavefront::carry<P, V, bands_of_courier>(arguments, constants, memories);
  }

 private:
  static constexpr int ring = Memory::ring;
  using Item = ItemsOf<P, V>;
  using Tagged = TaggedCell<V, planes>;
  static constexpr bool prunes = can_prune<P> && keep == Keep::borders;
  /// Steps that the loop over a piece is unrolled by.
  static constexpr int unrolled = R * C >= 64 ? 1 : R * C >= 32 ? 2 : R * C >= 16 ? 4 : 8;
  /// Whether scores of four letters may be added by a dot product of bytes.
  static constexpr bool can_code = requires {
    requires P::score_joins_diagonal;
    requires sizeof(V) == sizeof(Word);
  };

  template <bool coded>
  __device__ __forceinline__ bool sweep(Candidate& found) {
    // The last lane ends 31 * C columns later than the first.
    const i32 own = (width_ + piece - 1) / piece, pieces = own > 0 ? own + C : 0;
    announce(coded);
    looks_along_ = may_end_along_row();
    rows_matter_ = band_.rows < band_rows && (band_.rows == 0 || band_.task.bottom || looks_along_);
    if constexpr (P::report == Report::best) {
      gain_ = piece * P::gain(constants_);
      least_key_ = key_before(V(0), 0);
      all_have_keys_ = reach(0, P::gain(constants_), 0, a_.rows, 0, a_.columns) <= most_with_key;
    }
    gives_ = band_.task.bottom || looks_along_;
    attends_ = device::kept_in_register(gives_ || a_.launch.delay_seed != 0);
    below_ = row_ + (passed(0) + lane_) * Tagged::words;
    is_plain_ = !keep_lines && !rows_matter_;
    if constexpr (P::report == Report::best) {
      is_plain_ = is_plain_ && all_have_keys_ && (coded || band_.rows == band_rows);
    }
    idles_ = may_idle<coded>();
    for (i32 p = 0; p < pieces; ++p) {
      bool taken = false;
      if constexpr (!keep_lines) {
        if (!sweep_plain_pieces<coded>(p, plain_until<coded>(p), taken)) return false;
        if (p == pieces) break;
      }
      if (!taken && !take_piece<coded>(p)) return false;
      if constexpr (keep_lines) exact_steps<false, false>(p);  // any cell may be one of a kept line
      else sweep_edge_piece<coded>(p);
      end_piece(p);
    }
    if (a_.border_columns == 0) store_right(0);
    found = report<coded>();
    if (lane_ == 0) {
      memory_.pieces = first_piece_ + static_cast<u32>(pieces);
      leave_out_pieces(a_, band_, skipped_, piece);
    }
    return true;
  }

  /// Whether lanes that have not begun may be swept like the others, over the item 0: they stay as they are where all
  /// that they know is infinite, or 0 in local alignments, whose letters get no score with a column's code of 0.
  template <bool coded>
  __device__ __forceinline__ bool may_idle() {
    constexpr bool is_local = coded && P::report == Report::best;
    if constexpr (!is_local && !has_window<P>) {
      return false;
    } else {
      const V idle = is_local ? V(0) : V(infinity);
      bool same = lane_ == 0 || diagonal_ == idle;
#pragma unroll
      for (int r = 0; r < R; ++r) same = same && h_[r] == idle;
      if (!__all_sync(~0u, same)) return false;
#pragma unroll
      for (int c = 0; c < C; ++c) bottom_[c] = idle;
      return true;
    }
  }

  /// Whether lanes that have ended may be swept like the others, over the item 0 and below a border of 0: nobody
  /// needs what they hold. In local alignments that find no cell so that has not its like in a row above, for such
  /// columns add no score.
  template <bool coded>
  __device__ __forceinline__ bool may_run_out() const {
    if (band_.task.right && a_.border_columns == 0) return false;
    if constexpr (P::report == Report::best) return coded;
    else if constexpr (P::report == Report::last) return !band_.last;
    else return !band_.last && !P::ends(k_).last_column;
  }

  /// Up to which piece those from p on are plain: all columns of lanes that have begun, and of those that must not run
  /// out, are in the block, in the window, and none of them is kept inside the block.
  template <bool coded>
  __device__ i32 plain_until(i32 p) const {
    if (!is_plain_) return p;
    i32 end = may_run_out<coded>() ? (width_ + piece - 1) / piece + C : width_ / piece;
    if constexpr (windowed) {
      if (!lies_in_window(p)) return p;
      if (memory_.under < width_) end = minimum(end, memory_.under / piece);
    }
    if (keep == Keep::borders && a_.border_columns > 0) {
      if (kept_column(p) >= 0) return p;
      const i32 first = maximum(p - C, 0) * piece;
      end = minimum(end, (first + a_.border_columns - 1 - (band_.start + first) % a_.border_columns) / piece);
    }
    return end;
  }

  /// Sweeps pieces [p, end), which are plain; p is the next one then. Stops before one that must be swept exactly,
  /// which is taken then. False when the launch is over before that.
  template <bool coded>
  __device__ __forceinline__ bool sweep_plain_pieces(i32& p, i32 end, bool& taken) {
    constexpr Scoring scoring = coded ? Scoring::coded : Scoring::plain;
    constexpr bool reports = P::report == Report::best;
    for (; p < end; ++p) {
      if (!take_piece<coded>(p)) return false;
      bool follows = false, skips = false;
      if constexpr (reports) {
        // No cell is larger than those that the piece begins with by more than the score of its columns.
        follows = __any_sync(~0u, add(largest_entering(), V(gain_)) >= known_);
      }
      if constexpr (prunes) skips = a_.prunes && can_skip(p);
      taken = coded && odd_letters_ != 0 && !skips;
      if (taken) break;
      if (skips) {
        skip_piece(p);
      } else {
        skips_ = false;
        if (follows) begin_following();
        if (p < C && !idles_) fast_steps<scoring, reports, Edges::left>(p);
        else if (follows) fast_steps<scoring, reports, Edges::none>(p);
        else fast_steps<scoring, false, Edges::none>(p);
        if constexpr (reports) {
          if (follows) look_for_candidate(p);
        }
      }
      end_piece(p);
    }
    return true;
  }

  /// A piece that is not plain, or has letters that are not below 4.
  template <bool coded>
  __device__ __forceinline__ void sweep_edge_piece(i32 p) {
    const bool keeps_column = kept_column(p) >= 0;
    bool skips = false;
    if constexpr (prunes) skips = a_.prunes && !keeps_column && can_skip(p);
    bool exact = keeps_column || rows_matter_ || (coded && odd_letters_ != 0);
    constexpr bool reports = P::report == Report::best;
    bool follows = false;
    if constexpr (reports) {
      const i64 known = static_cast<i64>(known_);
      follows = all_have_keys_ && gain_ >= known;
      if (!follows) {
        const i64 most = static_cast<i64>(maximum_of_warp(largest_entering())) + gain_;
        follows = most >= known;
        exact = exact || (follows && most > most_with_key);
      }
    }
    if (skips) return skip_piece(p);
    skips_ = false;
    if (exact) return exact_steps<coded, false>(p);
    if (follows) begin_following();
    fast_steps<coded ? Scoring::coded : Scoring::plain, reports, Edges::any>(p);
    if constexpr (reports) {
      if (follows) look_for_candidate(p);
    }
  }
  __device__ __forceinline__ void begin_following() {
    save_state();
    most_ = V(0);
  }

  /// What comes after every piece: what lies below it is handed down, and stored where it is kept; what all lanes
  /// have passed may be replaced.
  __device__ __forceinline__ void end_piece(i32 p) {
    __syncwarp();
    hand_down(p);
    device::end_phase(memory_.passed[Memory::place_of(number_of(p - C))]);
    if (attends_ != 0) device::random_delay(a_.launch, band_.ticket + static_cast<u32>(p));
    if ((keep_table || (attends_ != 0 && gives_)) && p >= C) give_piece(p - C);
    if constexpr (keep_table) __syncwarp();  // the next piece's cells take the place of those given
  }

  /// The column that lanes pass in piece p whose border is kept inside the block; -1: none.
  __device__ __forceinline__ i32 kept_column(i32 p) const {
    return keep == Keep::borders ? borders_.kept_column((p - C) * piece, (p + 1) * piece) : -1;
  }

  /// The largest H that enters this lane's part of the piece that was taken last. E and F are never larger than the H
  /// that they come from.
  __device__ __forceinline__ V largest_entering() const {
    V most = memory_.top[0][top_at_ + static_cast<u32>(lane_)];
    if (skips_) return most;
    most = maximum(most, diagonal_);
#pragma unroll
    for (int c = 0; c < C; ++c) most = maximum(most, bottom_[c]);
#pragma unroll
    for (int r = 0; r + 1 < R; r += 2) most = maximum(most, h_[r], h_[r + 1]);
    if constexpr (R % 2 == 1) most = maximum(most, h_[R - 1]);
    return most;
  }

  /// Whether piece p may be left out (pruning.hpp): the part of the table that it stands for begins in the band's
  /// first row, in the column where the last lane is.
  __device__ __forceinline__ bool can_skip(i32 p) const {
    if (p < C) return false;
    const V most = largest_entering();
    const i64 row = band_.task.row_begin + band_.first_row;
    const i64 column = band_.task.column_begin + p * piece - 31 * C;
    const i64 reached = reach(static_cast<i64>(most), P::gain(constants_), row, a_.rows, column, a_.columns);
    return __all_sync(~0u, reached < static_cast<i64>(known_));
  }

  /// Leaves the lanes, and what the last one hands on, as piece p would with zeros for values.
  __device__ __forceinline__ void skip_piece(i32 p) {
    if (!skips_) clear_state();
    skips_ = true;
    ++skipped_;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) memory_.bottom[plane][Memory::kept_at(passed(p)) + lane_] = V(0);
  }
  __device__ __forceinline__ void clear_state() {
    diagonal_ = V(0);
#pragma unroll
    for (int r = 0; r < R; ++r) h_[r] = e_[r] = V(0);
#pragma unroll
    for (int c = 0; c < C; ++c) bottom_[c] = bottom_f_[c] = V(0);
  }

  /// Row minus column, in the table, of the band's row 0 and its column 0.
  __device__ i64 diagonal_of_band() const { return band_.task.row_begin + band_.first_row - band_.task.column_begin; }
  /// Whether all cells of the steps of piece p do; the last lane is 31 * C columns behind.
  __device__ bool lies_in_window(i32 p) const {
    const i64 window = window_of<P, V>(k_), first = diagonal_of_band() - p * piece;
    return first - (piece - 1) >= -window && first + band_rows - 1 + 31 * C <= window;
  }
  /// Columns above which the row border lies in the window, at most the band's.
  __device__ i32 columns_under_window() const {
    const i64 columns = diagonal_of_band() + window_of<P, V>(k_);
    return static_cast<i32>(maximum(i64(0), minimum(columns, static_cast<i64>(width_))));
  }
  /// Rows [begin, end) of the lane whose cells in a column lie in the window.
  struct RowRange {
    i32 begin, end;
  };
  __device__ RowRange rows_in_window(i32 column) const {
    const i64 window = window_of<P, V>(k_), first = diagonal_of_band() + lane_ * R - column;
    return {static_cast<i32>(maximum(i64(0), minimum(-window - first, i64(R)))),
            static_cast<i32>(maximum(i64(0), minimum(window - first + 1, i64(R))))};
  }

  /// A number that is larger for larger cells, and of equal ones for that in the higher row of the lane.
  __device__ __forceinline__ static V key_of(V h, int r) { return with_low_bits<key_bits>(h, R - 1 - r); }
  static constexpr int key_bits = R == 4 ? 2 : R == 8 ? 3 : 5;
  static_assert(R == 1 << key_bits);
  /// The largest cell that has one.
  static constexpr i64 most_with_key = (i64{1} << (8 * sizeof(V) - 1)) / R - 1;

  /// The piece just swept has the cell to report if one of its cells goes before what was found so far; in the same
  /// row that does not, being in a later column.
  __device__ __forceinline__ void look_for_candidate(i32 p) {
    if (!__any_sync(~0u, most_ >= least_key_)) return;
    const u64 key = static_cast<u64>(static_cast<i64>(most_));
    if (note(V(static_cast<i64>(key / R)), lane_ * R + R - 1 - static_cast<i32>(key % R))) {
      candidate_ = p;
      kept_ ^= 1;
      // What is above it is kept behind the ring.
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) {
        memory_.top[plane][ring + lane_] = memory_.top[plane][top_at_ + static_cast<u32>(lane_)];
      }
      __syncwarp();
    }
  }
  /// Follows the largest cell of all lanes, and its row. False if it does not go before that known.
  __device__ __forceinline__ bool note(V h, i32 row) {
    V most;
    int lane;
    largest_of_warp(h, most, lane);
    row = __shfl_sync(~0u, row, lane);
    if (!(most > reported_) && (!(most == reported_) || row >= reported_row_)) return false;
    reported_ = most;
    reported_row_ = row;
    least_key_ = key_before(most, row - lane_ * R);
    raise_known(most);
    return true;
  }
  /// The least key of this lane's cells that go before one of this value in its row r, which may be another lane's.
  __device__ __forceinline__ static V key_before(V h, i32 r) {
    if (static_cast<i64>(h) >= most_with_key) return key_of(V(most_with_key), 0);
    if (r <= 0) return key_of(add(h, V(1)), R - 1);
    return key_of(h, r < R ? r - 1 : R - 1);
  }
  /// A cell is as large as this.
  __device__ __forceinline__ void raise_known(V most) const {
    if (lane_ == 0 && most > known_) atomicMax(&a_.slots->known, static_cast<u64>(static_cast<i64>(most)));
  }

  /// Sweeps the candidate's piece again, for the exact cell. Leaves its state behind.
  template <bool coded>
  __device__ __forceinline__ void replay_candidate() {
    kept_ ^= 1;
    top_at_ = ring;
    load_window<coded>(candidate_);
    restore_state();
    exact_steps<coded, true>(candidate_);
    kept_ ^= 1;
    candidate_ = -1;
  }

  /// What lanes find before the band's columns; a replay may have left others there.
  __device__ __forceinline__ void clear_items_before() {
#pragma unroll
    for (i32 q = -C; q < 0; ++q) memory_.keep_item(number_of(q) * piece + static_cast<u32>(lane_), V(0));
    __syncwarp();
  }
  /// Puts the items of all columns that lanes are at in piece p where they find them, once the courier is idle.
  template <bool coded>
  __device__ void load_window(i32 p) {
    __syncwarp();
    for (i32 q = p - C; q <= p; ++q) {
      const i32 column = q * piece + lane_;
      if (column < 0 || column >= width_) continue;
      V item = Item::at(band_.task.columns, column);
      if constexpr (coded) item = Item::code(item);
      memory_.keep_item(number_of(q) * piece + static_cast<u32>(lane_), item);
    }
    __syncwarp();
  }

  /// Turns the letters of the rows into bytes for dot products: byte x has the score with letter x. False, and they
  /// stay, where a score does not fit. Rows below the band's last score 0, so that none of their cells is larger than
  /// one above it that came before.
  __device__ bool code_rows() {
    bool fits = true;
    V codes[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      u32 bytes = 0;
#pragma unroll
      for (int letter = 0; letter < 4; ++letter) {
        const i64 score = static_cast<i64>(P::template score<V>(k_, letters_[r], V(letter)));
        fits = fits && score >= -128 && score <= 127;
        bytes |= static_cast<u32>(score & 255) << (8 * letter);
      }
      codes[r] = V(r < rows_here_ ? static_cast<i64>(bytes) : 0);
    }
    if (!__all_sync(~0u, fits)) return false;
#pragma unroll
    for (int r = 0; r < R; ++r) letters_[r] = codes[r];
    return true;
  }

  __device__ void load_rows() {
    const i32 first = lane_ * R;
    rows_here_ = band_.rows - first < 0 ? 0 : band_.rows - first > R ? R : band_.rows - first;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      letters_[r] = r < rows_here_ ? Item::at(band_.task.rows, band_.first_row + first + r) : V(0);
    }
  }

  /// H and E of the column before the block, and H before the row above this lane's first.
  __device__ void load_left() {
    const i64 first = band_.first_row + lane_ * R;
    diagonal_ = rows_here_ > 0 ? left_h(first - 1) : V(0);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      h_[r] = r < rows_here_ ? left_h(first + r) : V(0);
      if constexpr (P::column_planes == 2) {
        if (r >= rows_here_) e_[r] = V(0);
        else e_[r] = borders_.left_gap(k_, first + r);
      } else {
        e_[r] = V(0);
      }
    }
  }
  __device__ V left_h(i64 row) const { return borders_.left_h(k_, row, Item::at); }

  /// Of a piece of the band, since the launch began.
  __device__ __forceinline__ u32 number_of(i32 p) const { return first_piece_ + static_cast<u32>(p); }

  /// Has the courier bring the band's pieces.
  __device__ void announce(bool coded) {
    if (lane_ == 0) {
      memory_.under = windowed ? columns_under_window() : width_;
      memory_.coded = coded;
    }
    __syncwarp();
    if (width_ > 0) device::end_phase(memory_.announced);
  }
  /// Waits until piece p lies where the lanes find it. False when the launch is over before that.
  template <bool coded>
  __device__ __forceinline__ bool take_piece(i32 p) {
    const u32 number = number_of(p), place = Memory::place_of(number);
    while (!__all_sync(~0u, device::wait_for_end(memory_.brought[place], Memory::parity_of(number)))) {
      if (__any_sync(~0u, device::has_ended(memory_.left, 0))) return false;
    }
    top_at_ = place * piece;
    if constexpr (P::report == Report::best) known_ = V(static_cast<i64>(memory_.known[place]));
    if constexpr (coded) odd_letters_ = (odd_letters_ << 1 | memory_.odd[place]) & ((2u << C) - 1);
    return true;
  }

  /// Writes what is complete of piece p: the border below the band, the table.
  __device__ __forceinline__ void give_piece(i32 p) {
    if constexpr (keep_table) store_table_piece<V, R>(a_, band_, memory_.cells, p, lane_);
    const i32 column = p * piece + lane_;
    if ((!band_.task.bottom && !looks_along_) || column >= width_) return;
    const int at = Memory::kept_at(column);
    if constexpr (P::report == Report::ends) {
      if (looks_along_) end_.look(memory_.bottom[0][at], band_.rows - 1, column);
    }
    if (!band_.task.bottom) return;
    V values[planes];
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) values[plane] = memory_.bottom[plane][at];
    borders_.store_bottom(column, values);
  }

  /// What a lane knows at the beginning of a piece, in shared memory and back.
  template <class Move>
  __device__ __forceinline__ void for_state(Move&& move) {
    int word = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) move(memory_.state[kept_][word++][lane_], h_[r]);
    if constexpr (P::column_planes == 2) {
#pragma unroll
      for (int r = 0; r < R; ++r) move(memory_.state[kept_][word++][lane_], e_[r]);
    }
    move(memory_.state[kept_][word++][lane_], diagonal_);
#pragma unroll
    for (int c = 0; c < C; ++c) {
      move(memory_.state[kept_][word++][lane_], bottom_[c]);
      if constexpr (planes == 2) move(memory_.state[kept_][word++][lane_], bottom_f_[c]);
    }
  }
  __device__ __forceinline__ void save_state() {
    for_state([](V& kept, const V& value) { kept = value; });
  }
  __device__ void restore_state() {
    for_state([](const V& kept, V& value) { value = kept; });
  }

  /// The largest value of all lanes, and the first lane that has it.
  __device__ static void largest_of_warp(V value, V& most, int& lane) {
    most = maximum_of_warp(value);
    lane = __ffs(static_cast<int>(__ballot_sync(~0u, value == most))) - 1;
  }
  /// After a piece was swept exactly: what is found so far. A candidate in the same row stays one, to be compared.
  __device__ void follow_best() {
    if (note(best_.score(), lane_ * R + best_.row())) candidate_ = -1;
  }

  /// H and F above the lane's C columns.
  __device__ __forceinline__ void take_from_above(V (&up)[C], V (&f)[C]) {
#pragma unroll
    for (int c = 0; c < C; ++c) {
      up[c] = shuffle_up(bottom_[c]);
      f[c] = planes == 2 ? shuffle_up(bottom_f_[c]) : V(0);
    }
#pragma unroll
    for (int c = 0; c < C; ++c) {
      if (lane_ == 0) up[c] = top_[0].at[c];
      if (planes == 2 && lane_ == 0) f[c] = top_[planes - 1].at[c];
    }
  }
  /// Reads what the first lane takes from above columns [at, at + C) of the piece.
  __device__ __forceinline__ void load_top_of_step(int at) {
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      top_[plane] = *reinterpret_cast<const Columns<V, C>*>(&memory_.top[plane][top_at_ + static_cast<u32>(at)]);
    }
  }
  /// The items of the lane's columns while the first lane goes over piece p.
  __device__ __forceinline__ const V* items_of(i32 p) const {
    return memory_.items + (number_of(p) * piece - static_cast<u32>(lane_ * C)) % ring;
  }

  /// Piece p, in which scores are found in one way for all columns.
  /// @tparam follows the largest key goes to most_
  template <Scoring scoring, bool follows, Edges edges>
  __device__ __forceinline__ void fast_steps(i32 p) {
    constexpr int steps = edges == Edges::any ? 1 : unrolled, columns = C * steps;
    const V* items = items_of(p);
    i32 column = p * piece - lane_ * C;
    int kept = Memory::kept_at(passed(p));
    load_top_of_step(0);
    item_ = *reinterpret_cast<const Columns<V, C>*>(items);
#pragma unroll 1
    for (int at = 0; at < piece; at += columns) {
#pragma unroll
      for (int i = 0; i < steps; ++i) {
        // What lies behind the piece may be about to be brought: its end is followed by its beginning.
        const int next = i + 1 < steps ? at + (i + 1) * C : (at + columns) % piece;
        fast_step<scoring, follows, edges>(items + next, next, kept + i * C, column + i * C);
        if constexpr (keep_table) keep_cells(p * piece + at + i - lane_);
      }
      kept += columns;
      column += columns;
    }
  }

  /// Reads what the next step needs before this one's chain of cells.
  /// @param next_items, next_at this lane's next items, and the first lane's next column, in the piece
  /// @param kept where the last lane keeps what the step gives for the band below
  template <Scoring scoring, bool follows, Edges edges>
  __device__ __forceinline__ void fast_step(const V* next_items, int next_at, int kept, i32 column) {
    V up[C], f[C];
    take_from_above(up, f);
    load_top_of_step(next_at);
    const Columns<V, C> item = item_;
    item_ = *reinterpret_cast<const Columns<V, C>*>(next_items);
    if (edges == Edges::any && (column < 0 || column + C > width_)) {
      if (is_column(column)) last_cells<scoring == Scoring::coded, follows>(item.at, column, up, f);
      return;
    }
    fast_cells<scoring, follows, edges>(item.at, column, up, f);
    keep_below<C>(kept, up, f);
#pragma unroll
    for (int c = 0; c < C; ++c) {
      bottom_[c] = up[c];
      bottom_f_[c] = f[c];
    }
  }
  /// The block's last columns where they are fewer than a step has.
  template <bool coded, bool follows>
  __device__ __forceinline__ void last_cells(const V (&item)[C], i32 column, V (&up)[C], V (&f)[C]) {
#pragma unroll
    for (int c = 0; c + 1 < C; ++c) {
      if (column + c >= width_) break;
      exact_cells<coded>(item[c], up[c], f[c], windowed ? rows_in_window(column + c) : RowRange{0, R}, column + c);
      if constexpr (follows) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
          if (r < rows_here_) most_ = maximum(most_, key_of(h_[r], r));
        }
      }
      bottom_[c] = up[c];
      bottom_f_[c] = f[c];
      keep_below<1>(Memory::kept_at(column + c), up + c, f + c);
    }
  }
  __device__ __forceinline__ bool is_column(i32 column) const {
    return static_cast<u32>(column) < static_cast<u32>(width_);
  }

  /// C columns of the lane's rows, along the diagonals of cells that do not need one another.
  /// @param column the first one; a lane that has not begun stays as it is, and what it hands on is not used
  template <Scoring scoring, bool follows, Edges edges>
  __device__ __forceinline__ void fast_cells(const V (&item)[C], i32 column, V (&up)[C], V (&f)[C]) {
    constexpr bool cuts = windowed && edges == Edges::any;
    const bool begun = edges != Edges::left || column >= 0;
    RowRange inside[C];
#pragma unroll
    for (int c = 0; c < C; ++c) inside[c] = cuts ? rows_in_window(column + c) : RowRange{0, R};
    using W = Swift<V, (R < 8)>;
    const auto k = P::template constants_as<W>(constants_);
    V diagonal[C];
    diagonal[0] = diagonal_;
#pragma unroll
    for (int c = 1; c < C; ++c) diagonal[c] = up[c - 1];
    diagonal_ = begun ? up[C - 1] : diagonal_;
    V other{};
    int followed = 0;
#pragma unroll
    for (int front = 0; front < R + C - 1; ++front) {
#pragma unroll
      for (int c = 0; c < C; ++c) {
        const int r = front - c;
        if (r < 0 || r >= R) continue;
        const Around<W> around{as<W>(diagonal[c]), as<W>(up[c]), as<W>(h_[r]), as<W>(e_[r]), as<W>(f[c])};
        const Cell<W> cell = cell_of<scoring>(k, r, item[c], around);
        diagonal[c] = h_[r];
        up[c] = as<V>(cell.h);
        if constexpr (cuts) up[c] = r < inside[c].begin || r >= inside[c].end ? V(infinity) : up[c];
        f[c] = as<V>(cell.f);
        h_[r] = begun ? up[c] : h_[r];
        e_[r] = begun ? as<V>(cell.e) : e_[r];
        if constexpr (follows) {
          const V key = begun && (edges != Edges::any || r < rows_here_) ? key_of(up[c], r) : V(0);
          if (followed % 2 == 1) most_ = maximum(most_, other, key);
          else if (followed + 1 == R * C) most_ = maximum(most_, key);
          else other = key;
          ++followed;
        }
      }
    }
  }

  template <Scoring scoring, class W>
  __device__ __forceinline__ Cell<W> cell_of(const typename P::template Constants<W>& k, int r, V item,
                                             Around<W> around) const {
    if constexpr (scoring == Scoring::coded) {
      around.diagonal = W::of(__dp4a(letters_[r].value, item.value, around.diagonal.value));
      return P::template cell<W>(k, around, W(0));
    } else if constexpr (by_matrix<P>) {
      const u32 scores = memory_.profiles.words[static_cast<i64>(item)][r / 4][lane_];
      around.diagonal = as<W>(add_score(as<V>(around.diagonal), k_.scale, scores, r));
      return P::template cell<W>(k, around, W(0));
    } else {
      return P::template cell<W>(k, around, P::template score<W>(k, as<W>(letters_[r]), as<W>(item)));
    }
  }

  /// Piece p column by column: some may be outside the block for some lanes, and rows outside the band.
  /// @tparam replay for the report alone
  template <bool coded, bool replay>
  __device__ __forceinline__ void exact_steps(i32 p) {
    const V* items = items_of(p);
    const i32 kept = replay ? -1 : kept_column(p);
#pragma unroll 1
    for (int at = 0; at < piece; ++at) {
      V up = shuffle_up(bottom_[0]), f = planes == 2 ? shuffle_up(bottom_f_[0]) : V(0);
      if (lane_ == 0) up = memory_.top[0][top_at_ + static_cast<u32>(at)];
      if (planes == 2 && lane_ == 0) f = memory_.top[planes - 1][top_at_ + static_cast<u32>(at)];
#pragma unroll
      for (int c = 0; c + 1 < C; ++c) {
        bottom_[c] = bottom_[c + 1];
        bottom_f_[c] = bottom_f_[c + 1];
      }
      const i32 column = p * piece + at - lane_ * C;
      if (!is_column(column)) continue;
      RowRange inside{0, R};
      if constexpr (windowed) inside = rows_in_window(column);
      exact_cells<coded>(items[at], up, f, inside, column);
      if constexpr (keep_lines) lines_.pass(a_, band_, column);
      if constexpr (keep == Keep::borders && !replay) {
        if (column == kept) store_right((band_.start + column + 1) / a_.border_columns - 1);
      }
      bottom_[C - 1] = up;
      bottom_f_[C - 1] = f;
      if constexpr (P::report == Report::best) best_.look(h_, rows_here_, column);
      if constexpr (!replay) {
        keep_below<1>(Memory::kept_at(column), &up, &f);
        if constexpr (keep_table) keep_cells(column);
      }
    }
    if constexpr (P::report == Report::best) follow_best();
  }

  /// One column of the lane's rows. Rows below the band's last hand on what is above them.
  template <bool coded>
  __device__ __forceinline__ void exact_cells(V item, V& up, V& f, RowRange inside, i32 column) {
    V diagonal = diagonal_;
    diagonal_ = up;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const Around<V> around{diagonal, up, h_[r], e_[r], f};
      Cell<V> cell;
      if constexpr (coded) {
        if (Item::is_odd(item)) cell = P::template cell<V>(k_, around, odd_score(r, item));
        else cell = cell_of<Scoring::coded>(k_, r, item, around);
      } else if constexpr (windowed) {
        const bool outside = r < inside.begin || r >= inside.end;
        cell = P::template cell<V>(k_, around, outside ? V(infinity) : P::template score<V>(k_, letters_[r], item));
      } else {
        cell = cell_of<Scoring::plain>(k_, r, item, around);
      }
      diagonal = h_[r];
      const bool real = r < rows_here_;
      up = h_[r] = real ? cell.h : up;
      f = real ? cell.f : f;
      e_[r] = cell.e;
      if constexpr (keep_lines) {
        if (real) lines_.look(a_, r, column, cell.h, cell.e, cell.f);
      }
    }
  }
  /// Of a column whose letter is not below 4, with the letter of row r, read again.
  __device__ V odd_score(int r, V item) const {
    const V letter = r < rows_here_ ? Item::at(band_.task.rows, band_.first_row + lane_ * R + r) : V(0);
    return P::template score<V>(k_, letter, V(~static_cast<i64>(item)));
  }

  /// The first column that the last lane passes in piece p.
  __device__ __forceinline__ static i32 passed(i32 p) { return (p - C) * piece + C; }

  /// Keeps the last lane's lowest row, for hand_down(). @param at where the columns' values below the band are
  template <int count>
  __device__ __forceinline__ void keep_below(int at, const V* h, const V* f) {
    if (lane_ != 31) return;
    Columns<V, count> kept[2];
#pragma unroll
    for (int c = 0; c < count; ++c) {
      kept[0].at[c] = h[c];
      kept[1].at[c] = f[c];
    }
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      *reinterpret_cast<Columns<V, count>*>(&memory_.bottom[plane][at]) = kept[plane];
    }
  }
  /// Hands what the last lane has kept in piece p to the band below.
  __device__ __forceinline__ void hand_down(i32 p) {
    V values[planes];
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      values[plane] = memory_.bottom[plane][Memory::kept_at(passed(p)) + lane_];
    }
    Tagged::store_if(is_column(passed(p) + lane_), below_, 0, tag_, values);
    below_ += piece * Tagged::words;
  }

  __device__ __forceinline__ void keep_cells(i32 column) {
#pragma unroll
    for (int r = 0; r < R; ++r) memory_.cells[lane_ * R + r][column & (2 * piece - 1)] = h_[r];
  }

  /// The column just swept, as border `border` of those that the block writes.
  __device__ __forceinline__ void store_right(i64 border) const {
    if (!band_.task.right) return;
    if (lane_ == 0) borders_.store_corner(border, diagonal_);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows_here_) break;
      borders_.store_right_h(border, lane_ * R + r, h_[r]);
      if constexpr (P::column_planes == 2) borders_.store_right_gap(border, lane_ * R + r, e_[r]);
    }
  }

  /// Whether an alignment may end anywhere in the band's lowest row.
  __device__ bool may_end_along_row() const {
    if constexpr (P::report != Report::ends) return false;
    else return P::ends(k_).last_row && band_.last && band_.rows > 0 && band_.task.row_end == a_.rows;
  }

  template <bool coded>
  __device__ Candidate report() {
    if constexpr (P::report == Report::best) {
      if constexpr (!keep_lines) {
        // Where the launch has a larger cell, this band's is not wanted.
        const bool wanted = static_cast<u64>(static_cast<i64>(reported_)) >= load_relaxed(&a_.slots->known);
        if (candidate_ >= 0 && __any_sync(~0u, wanted)) replay_candidate<coded>();
      }
      return best_.of_warp(band_.first_row, lane_);
    } else if constexpr (P::report == Report::last) {
      return last_cell();
    } else {
      return end_cell();
    }
  }

  /// The best cell where an alignment may end: of the lowest row it is known, now the last column comes.
  __device__ Candidate end_cell() {
    const bool all = P::ends(k_).last_column;
    const i64 last = a_.rows - 1 - band_.task.row_begin - band_.first_row;  // row of the band
    if (band_.task.column_end == a_.columns && width_ > 0) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const i32 row = lane_ * R + r;
        if (r < rows_here_ && (all || row == last)) end_.look(h_[r], row, width_ - 1);
      }
    }
    return end_.of_warp(band_.first_row);
  }

  /// Without columns it is the border's.
  __device__ Candidate last_cell() {
    const i32 row = band_.rows - 1;
    save_state();
    __syncwarp();
    i64 score = reported(memory_.state[kept_][row < 0 ? 0 : row % R][row < 0 ? 0 : row / R]);
    if (width_ == 0) score = reported(left_h(band_.first_row + row));
    return {score, band_.first_row + row, band_.start + width_ - 1, band_.last};
  }

  const SweepArguments& a_;
  const WideConstants& constants_;
  const Constants k_;
  const KernelBand& band_;
  Memory& memory_;
  const int lane_;
  const i32 width_;  // columns of the block
  const u32 first_piece_;
  const BandBorders<P, V> borders_;
  u64* const row_;                 // the tagged row below the band
  const u32 tag_;                  // what the band writes there
  u64* below_ = nullptr;           // the lane's column there of those that the last lane passes in the piece
  i32 rows_here_ = 0;              // rows of the band that this lane holds
  V letters_[R], h_[R], e_[R];     // items of its rows; H of the last column, E of the next
  V diagonal_{};                   // H of the last column above its first row
  V bottom_[C]{}, bottom_f_[C]{};  // H and F below its last row in the columns of the last step
  Columns<V, C> top_[planes];      // H and F above the first lane's next columns
  Columns<V, C> item_;             // items of the next columns
  u32 top_at_ = 0;                 // where the piece's border above is
  u32 odd_letters_ = 0;            // bit i: the i-th last piece has a column whose letter is not below 4
  V most_{};                       // largest key of the piece
  V known_{};                      // largest cell of the launch that is known of
  bool skips_ = false;             // the last piece was left out, so that all values are 0
  i32 skipped_ = 0;                // pieces that were
  V reported_{};                   // largest cell of the band so far, and the first row that has one
  i32 reported_row_ = -1;
  V least_key_{};               // of a cell of this lane that goes before it
  i32 candidate_ = -1;          // the piece that may have the cell to report and was not swept exactly
  int kept_ = 0;                // which of the kept states is this piece's; the other one is the candidate's
  bool looks_along_ = false;    // an alignment may end anywhere in the band's lowest row
  u32 attends_ = 0;             // there is something to do at each piece beside sweeping it
  bool gives_ = false;          // some array of the block takes what is below the band
  bool is_plain_ = false;       // pieces without edges are plain (plain_until)
  bool idles_ = false;          // also those of lanes that have not begun
  bool rows_matter_ = false;    // there are rows below the band's last, and what becomes of them does harm
  i64 gain_ = 0;                // that a cell may have over those that its piece begins with
  bool all_have_keys_ = false;  // no cell of the table is too large for one
  LaneBest<V, R> best_;
  LaneEnd<V> end_;
  LaneLines<P, V, R> lines_;
};

}  // namespace terrace::wavefront
