// The kernel that sweeps problems with a bit-parallel form: bands of rows, a bit a row, differences instead of cells.
// No host library header: also compiled at run time.
//
// A warp walks over a band of 1024 x W rows from left to right, two columns a step. Lane l holds W words of 32 rows
// and is a step behind lane l - 1, from which it takes the horizontal differences above its rows by shuffle: while
// one column's are on their way, the other is computed. What the band hands down are those below its last row: a word
// of 32 columns a plane, tagged with the band's number (tagged.cuh), first column in the highest bit. H itself is
// found where borders and the report want it, by counting bits.
//
// In a table of one block a band may be cut to the pieces that meet a band of diagonals. Left of them, and right of
// those of the band above, only letters without a partner count (diagonals.hpp).
#pragma once

#include "kernels/wavefront/bands.cuh"
#include "kernels/wavefront/bits.hpp"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/table_piece.cuh"

namespace terrace::wavefront {

inline constexpr u32 all_lanes = ~0u;

/// Tagged words of a row of `columns` columns: one cell a piece, and one with H of the last column.
__host__ __device__ inline i64 bit_row_words(i64 columns) { return 2 * ((columns + piece - 1) / piece + 1); }

/// Columns of a step, and pieces that the first lane is ahead of the last, at most.
inline constexpr int step_columns = 2, pieces_behind = 2;

/// What a warp keeps in shared memory: the letters of the columns of this piece and of those before it that the lanes
/// are still on. Piece p is at p % 3 and once more three places on: so the last three always lie side by side.
struct BitMemory {
  static constexpr int pieces = pieces_behind + 1;

  KernelBand band;
  alignas(16) uint2 letters[2 * pieces * piece + step_columns];  // of codes below 4: each bit, in all bits of a word
  u32 codes[2 * pieces * piece + step_columns];
};

/// The columns of those pieces that rows [row, row + rows) of a table of so many columns meet in the diagonals.
__device__ inline ColumnRange columns_on_diagonals(const SweepArguments& a, i64 row, i64 rows) {
  const ColumnRange range = a.diagonals.columns(row, row + rows);
  const i64 begin = maximum(range.begin, i64(0)) / piece * piece;
  const i64 end = (minimum(range.end, a.columns) + piece - 1) / piece * piece;
  return {begin, minimum(end, a.columns)};
}

/// Cuts a band to those columns of its rows. All lanes call it.
__device__ inline void cut_to_diagonals(const SweepArguments& a, KernelBand& band) {
  if (a.diagonals.whole() || band.rows == 0 || band.width == 0) return;
  __syncwarp();
  if (lane_index() == 0) {
    const ColumnRange columns = columns_on_diagonals(a, band.first_row, band.rows);
    band.task.columns = static_cast<const device::u8*>(band.task.columns) + columns.begin;
    band.task.column_begin = columns.begin;
    band.start = static_cast<i32>(columns.begin);
    band.width = static_cast<i32>(columns.end - columns.begin);
  }
  __syncwarp();
}

/// One band on its way through a warp. All members are called by all lanes.
template <class P, int W>
class BitSweep {
 public:
  using Bits = typename P::Bits;
  using Constants = typename P::template Constants<i64>;
  using Rows = typename Bits::template Rows<u32>;
  using Tagged = TaggedCell<u32, 2>;
  static constexpr int planes = Bits::planes;
  static constexpr int lane_rows = 32 * W;
  static constexpr int band_rows = 32 * lane_rows;
  /// What a letter without a partner adds to H.
  static constexpr i32 gap = Bits::counts_pairs ? 0 : 1;

  __device__ BitSweep(const SweepArguments& arguments, const Constants& constants, BitMemory& memory)
      : a_(arguments),
        k_(constants),
        band_(memory.band),
        memory_(memory),
        lane_(lane_index()),
        width_(memory.band.width) {}

  /// Sweeps the band and writes its borders; false when the launch is over before that.
  __device__ bool run(Candidate& found) {
    const i32 last_row = band_.rows > 0 ? band_.rows - 1 : 0;
    last_lane_ = last_row / lane_rows;
    last_word_ = last_row % lane_rows / 32;
    last_shift_ = 31 - last_row % 32;
    row_ = border_row(a_, band_.block) + band_.start / piece * Tagged::words;
    tag_ = tag_of(band_.ticket);
    pieces_ = (width_ + piece - 1) / piece;
    last_cell_ = static_cast<i32>((band_.task.column_end - band_.task.column_begin + piece - 1) / piece);
    takes_tagged_ = top_is_tagged(a_, band_);
    above_width_ = width_above();
    const bool block_follows = a_.across == 1 && (band_.block + 1) * a_.bands < a_.tickets;
    hands_on_ = !band_.last || block_follows;
    hands_out_ = band_.last && band_.task.bottom != nullptr;
    load_rows();
    load_left();
    prefetch(0);
    const bool ends_within = band_.rows != band_rows && (hands_on_ || hands_out_);
    for (i32 p = 0; p < pieces_ + pieces_behind; ++p) {
      if (!take_piece(p)) return false;
      __syncwarp();
      const bool inside = p >= pieces_behind && (p + 1) * piece <= width_;
      // The loop for any letters is also the one for bands that end within the warp's rows.
      if (ends_within || since_equal_ <= pieces_behind) steps<true, BitLetters::any>(p);
      else if (since_rare_ <= pieces_behind) steps<true, BitLetters::rare>(p);
      else if (inside) steps<false, BitLetters::four>(p);
      else steps<true, BitLetters::four>(p);
      device::random_delay(a_.launch, band_.ticket + static_cast<u32>(p));
      __syncwarp();
    }
    return finish(found);
  }

 private:
  /// The band's columns that the band above has too.
  __device__ i32 width_above() const {
    if (a_.diagonals.whole() || band_.index == 0) return width_;
    return static_cast<i32>(columns_on_diagonals(a_, band_.first_row - band_rows, band_rows).end) - band_.start;
  }

  /// Letters as bit planes: plane k has bit k of the codes of a word's rows.
  __device__ void load_rows() {
#pragma unroll 1
    for (int word = 0; word < 32 * W; ++word) {
      const i32 row = word * 32 + lane_;
      u32 code = 0;
      if (row < band_.rows) {
        code = device::load_past_l1(static_cast<const device::u8*>(band_.task.rows) + band_.first_row + row);
      }
      note_rare(code);
      for (int k = 0; k < code_bits; ++k) {
        const u32 plane = __ballot_sync(all_lanes, code >> k & 1);
#pragma unroll
        for (int w = 0; w < W; ++w) {
          if (word == lane_ * W + w) letters_[w][k] = plane;
        }
      }
    }
#pragma unroll
    for (int w = 0; w < W; ++w) {
      others_[w] = 0;
#pragma unroll
      for (int k = 2; k < code_bits; ++k) others_[w] |= letters_[w][k];
    }
  }

  /// Lane l keeps which of the codes from 32 l on occur in the band.
  __device__ void note_rare(u32 code) {
    for (u32 left = __ballot_sync(all_lanes, code > 3); left != 0; left &= left - 1) {
      const u32 one = __shfl_sync(all_lanes, code, __ffs(left) - 1);
      if (one / 32 == static_cast<u32>(lane_)) occurring_ |= 1u << one % 32;
    }
  }
  /// Whether a letter above 3 of some lane is one of the band's.
  __device__ bool any_occurs(u32 code) const {
    const u32 there = __shfl_sync(all_lanes, occurring_, static_cast<int>(code / 32));
    return __any_sync(all_lanes, code > 3 && (there >> code % 32 & 1));
  }

  /// Vertical differences of the column before the block.
  __device__ void load_left() {
#pragma unroll 1
    for (int word = 0; word < 32 * W; ++word) {
      const i32 row = word * 32 + lane_;
      const i64 rise = row < band_.rows ? left_h(band_.first_row + row) - left_h(band_.first_row + row - 1) : 0;
      const u32 plus = __ballot_sync(all_lanes, rise > 0), minus = __ballot_sync(all_lanes, rise < 0);
#pragma unroll
      for (int w = 0; w < W; ++w) {
        if (word == lane_ * W + w) differences_[w] = Bits::template rows<u32>(plus, minus);
      }
    }
    if (hands_out_) below_h_ = left_h(band_.first_row + band_.rows - 1);
  }
  __device__ i64 left_h(i64 row) const {
    if (band_.task.left) return load_stored<i64>(a_.border, band_.task.left, row + 1);
    return P::template left<i64>(k_, band_.task.row_begin + row).h;
  }
  __device__ i64 top_h(i64 column) const {
    if (column < 0) return left_h(-1);
    if (band_.task.top) return load_stored<i64>(a_.border, band_.task.top, column);
    return P::template top<i64>(k_, band_.task.column_begin + column).h;
  }

  /// Asks for the letters of piece p, a column a lane, and for the differences above them.
  __device__ void prefetch(i32 p) {
    next_code_ = 0;
    asks_ = false;
    if (p >= pieces_) return;
    const i32 column = p * piece + lane_;
    if (column < width_) {
      next_code_ = device::load_past_l1(static_cast<const device::u8*>(band_.task.columns) + column);
    }
    if (p * piece >= above_width_) {
      next_above_[0] = gap != 0 ? all_lanes : 0;
      next_above_[1] = 0;
      return;
    }
    if (takes_tagged_) {
      asked_ = Tagged::ask(row_, p);
      asks_ = true;
      return;
    }
    const i64 rise = column < width_ ? top_h(column) - top_h(column - 1) : 0;
    next_above_[0] = __brev(__ballot_sync(all_lanes, rise > 0));
    next_above_[1] = __brev(__ballot_sync(all_lanes, rise < 0));
  }

  /// Puts piece p where the lanes find it, once the band above has written it.
  __device__ bool take_piece(i32 p) {
    if (!wait_for_cell(p)) return false;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) above_[plane] = next_above_[plane];
    since_rare_ = __any_sync(all_lanes, next_code_ > 3) ? 0 : since_rare_ + 1;
    since_equal_ = since_rare_ == 0 && any_occurs(next_code_) ? 0 : since_equal_ + 1;
    ring_ = (ring_ + 1) % BitMemory::pieces;
#pragma unroll
    for (int copy = 0; copy < 2; ++copy) {
      const int at = (ring_ + copy * BitMemory::pieces) * piece + lane_;
      memory_.letters[at] = {0u - (next_code_ & 1), 0u - (next_code_ >> 1 & 1)};
      memory_.codes[at] = next_code_;
    }
    return true;
  }

  /// Waits until the band above has written that cell of the tagged row, if it was asked for: it is looked at here
  /// and not before, so that it has the time between to come. False when the launch is over.
  __device__ bool wait_for_cell(i32 cell) {
    if (!asks_) return true;
    for (u32 tries = 1; !__all_sync(all_lanes, Tagged::read(asked_, tag_ - 1, next_above_)); ++tries) {
      asked_ = Tagged::ask(row_, cell);
      if (tries % 32 != 0) continue;
      const bool leave = lane_ == 0 && device::must_leave(a_.launch, band_.block);
      if (__any_sync(all_lanes, leave)) return false;
      __nanosleep(32);
    }
    return true;
  }

  /// The steps in which the first lane goes over piece p. `edges`: some lane is outside the block in some of them.
  template <bool edges, BitLetters kind>
  __device__ __forceinline__ void steps(i32 p) {
    constexpr bool any = kind == BitLetters::any;
    const int last_lane = any ? last_lane_ : 31;
    const int give_at = (step_columns * last_lane + piece - step_columns) % piece;
    const i32 given = p - 1 + (give_at + step_columns - step_columns * last_lane) / piece;
    const i32 column = p * piece - step_columns * lane_;
    const int at = (ring_ + BitMemory::pieces) * piece - step_columns * lane_;
    load_letters<kind>(at);
#pragma unroll 1
    for (int half = 0; half < piece; half += piece / 2) {
      if (half > 0) prefetch(p + 1);
#pragma unroll
      for (int i = 0; i < piece / 2; i += step_columns) {
        step<edges, kind>(column + half + i, at + half + i);
        // The lane that ends the band has now seen the last column of a piece.
        if (any ? half + i == give_at
                : i == static_at % (piece / 2) && half == static_at / (piece / 2) * (piece / 2)) {
          give_piece(given);
        }
      }
    }
  }
  static constexpr int static_at = (step_columns * 31 + piece - step_columns) % piece;

  /// The steps' work on two columns. Outside the block nobody looks at what is handed down.
  /// @param at where the first column's letter lies in the warp's memory
  template <bool edges, BitLetters kind>
  __device__ __forceinline__ void step(i32 column, int at) {
    constexpr bool any = kind == BitLetters::any;
    u32 bits[step_columns][planes];
#pragma unroll
    for (int c = 0; c < step_columns; ++c) {
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) {
        bits[c][plane] = __shfl_up_sync(all_lanes, below_[c][plane], 1);
        // The first lane's neighbour is the border, whose next difference is the highest bit.
        if (lane_ == 0) bits[c][plane] = above_[plane] >> 31;
        above_[plane] = shift_aside(above_[plane], 0);
      }
    }
    uint2 letters[step_columns];
    u32 codes[step_columns];
#pragma unroll
    for (int c = 0; c < step_columns; ++c) letters[c] = letter_[c], codes[c] = code_[c];
    load_letters<kind>(at + step_columns);
#pragma unroll
    for (int c = 0; c < step_columns; ++c) {
      const bool here = !edges || static_cast<u32>(column + c) < static_cast<u32>(width_);
      u32 words[planes], last[planes];
#pragma unroll
      for (int w = 0; w < W; ++w) {
        Rows rows = differences_[w];
        Bits::template column<u32>(rows, differ<kind>(w, letters[c], codes[c]), bits[c], words);
        if (here) differences_[w] = rows;
#pragma unroll
        for (int plane = 0; plane < planes; ++plane) {
          if (any && w == last_word_) last[plane] = words[plane] << last_shift_ >> 31;
        }
      }
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) {
        below_[c][plane] = bits[c][plane];
        handed_[plane] = shift_aside(handed_[plane], any ? last[plane] : bits[c][plane]);
      }
    }
  }

  /// A step ahead, so that no step waits for it.
  template <BitLetters kind>
  __device__ __forceinline__ void load_letters(int at) {
#pragma unroll
    for (int c = 0; c < step_columns; ++c) {
      if constexpr (kind != BitLetters::any) letter_[c] = memory_.letters[at + c];
      if constexpr (kind != BitLetters::four) code_[c] = memory_.codes[at + c];
    }
  }

  /// Bit r: the letter of row r of word w is not that of the column.
  template <BitLetters kind>
  __device__ __forceinline__ u32 differ(int w, uint2 letter, u32 code) const {
    u32 result = 0;
    if constexpr (kind == BitLetters::any) {
#pragma unroll
      for (int k = 0; k < code_bits; ++k) result |= letters_[w][k] ^ (0u - (code >> k & 1));
    } else {
      result = (letters_[w][0] ^ letter.x) | (letters_[w][1] ^ letter.y) | others_[w];
      if constexpr (kind == BitLetters::rare) result = code > 3 ? all_lanes : result;
    }
    return result;
  }

  /// Hands down what lies below piece p: to the next band, or to the border below the block.
  __device__ __forceinline__ void give_piece(i32 p) {
    if (p < 0 || p >= pieces_) return;
    if (lane_ == last_lane_ && hands_on_) {
      const u32 values[2] = {handed_[0], planes == 2 ? handed_[planes - 1] : 0};
      Tagged::store(row_, p, tag_, values);
    }
    if (!hands_out_) return;
    const u32 plus = __shfl_sync(all_lanes, handed_[0], last_lane_);
    const u32 minus = planes == 2 ? __shfl_sync(all_lanes, handed_[planes - 1], last_lane_) : 0;
    below_h_ = store_border(a_.border, band_.task.bottom, p * piece + lane_, width_, below_h_, plus, minus);
  }

  /// Stores H of a column a lane. @param h before the piece @return after it
  __device__ static __noinline__ i64 store_border(Stored type, void* bottom, i32 column, i32 width, i64 h, u32 plus,
                                                  u32 minus) {
    const u32 upto = all_lanes << (31 - lane_index());  // the first column is in the highest bit
    if (column < width) store_stored(type, bottom, column, h + __popc(plus & upto) - __popc(minus & upto));
    return h + __popc(plus) - __popc(minus);
  }

  /// The rise over the band's rows in the last column.
  __device__ i32 rise_of_band() const {
    i32 rise = 0;
#pragma unroll
    for (int w = 0; w < W; ++w) {
      const i32 rows = band_.rows - (lane_ * W + w) * 32;
      const u32 real = rows >= 32 ? all_lanes : rows > 0 ? (1u << rows) - 1 : 0;
      rise += __popc(Bits::template plus<u32>(differences_[w]) & real);
      rise -= __popc(Bits::template minus<u32>(differences_[w]) & real);
    }
    return __reduce_add_sync(all_lanes, rise);
  }

  /// H of the last column from H above the band, which the band below waits for.
  __device__ bool finish(Candidate& found) {
    const i32 rise = rise_of_band();
    i64 above = 0;
    if (takes_tagged_) {
      asked_ = Tagged::ask(row_, last_cell_);
      asks_ = true;
      if (!wait_for_cell(last_cell_)) return false;
      above =
          static_cast<i64>(static_cast<u64>(next_above_[1]) << 32 | next_above_[0]) + gap * (width_ - above_width_);
    } else {
      above = top_h(width_ - 1);
    }
    const i64 last = above + rise;
    if (hands_on_ && lane_ == 0) {
      const u32 values[2] = {static_cast<u32>(last), static_cast<u32>(static_cast<u64>(last) >> 32)};
      Tagged::store(row_, last_cell_, tag_, values);
    }
    if (band_.task.right) store_right(above);
    found = {last, band_.first_row + band_.rows - 1, band_.start + width_ - 1, band_.last};
    return true;
  }

  /// The last column, and before it the corner, which the block's first band knows. @param h above the band
  __device__ void store_right(i64 h) const {
    void* right = band_.task.right;
    if (band_.index == 0 && lane_ == 0) store_stored(a_.border, right, 0, h);
#pragma unroll 1
    for (int word = 0; word * 32 < band_.rows; ++word) {
      u32 plus = 0, minus = 0;
#pragma unroll
      for (int w = 0; w < W; ++w) {
        const u32 up = __shfl_sync(all_lanes, Bits::template plus<u32>(differences_[w]), word / W);
        const u32 down = __shfl_sync(all_lanes, Bits::template minus<u32>(differences_[w]), word / W);
        if (word % W == w) plus = up, minus = down;
      }
      const u32 upto = all_lanes >> (31 - lane_);
      if (word * 32 + lane_ < band_.rows) {
        store_stored(a_.border, right, band_.first_row + word * 32 + lane_ + 1,
                     h + __popc(plus & upto) - __popc(minus & upto));
      }
      h += __popc(plus) - __popc(minus);
    }
  }

  const SweepArguments& a_;
  const Constants& k_;
  const KernelBand& band_;
  BitMemory& memory_;
  const int lane_;
  const i32 width_;                            // columns of the block, or those on the diagonals
  bool takes_tagged_ = false;                  // what lies above is in the tagged row
  bool hands_on_ = false, hands_out_ = false;  // what lies below is wanted there; below the block
  int ring_ = 0;                               // where in memory this piece is
  i32 pieces_ = 0;                             // of 32 columns
  i32 last_cell_ = 0;                          // of the tagged row from here on, with H of a band's last column
  i32 above_width_ = 0;                        // columns that the band above has, too
  i32 last_lane_ = 0, last_word_ = 0;          // that hold the band's last row
  i32 last_shift_ = 0;                         // from its bit to the highest
  // Pieces since one had a letter above 3, and since one had such a letter that occurs in the band; those before the
  // first have none.
  i32 since_rare_ = pieces_behind, since_equal_ = pieces_behind;
  u32 letters_[W][code_bits];             // planes of its rows
  u32 others_[W];                         // those above 3
  u32 occurring_ = 0;                     // which of 32 codes occur in the band
  Rows differences_[W];                   // of the last column, from row to row
  u32 above_[planes] = {};                // the first lane's next differences from column to column
  u32 below_[step_columns][planes] = {};  // the last differences below this lane's rows, 0 or 1 each
  u32 handed_[planes] = {};               // those below the band's last row, of 32 columns
  uint2 letter_[step_columns] = {};       // of the next columns
  u32 code_[step_columns] = {};
  u32 next_code_ = 0, next_above_[2] = {};  // the piece that was asked for
  typename Tagged::Words asked_;            // what lies above it, where asks_
  bool asks_ = false;
  u64* row_ = nullptr;  // the tagged row, read above the band and written below it
  u32 tag_ = 0;         // the band's own
  i64 below_h_ = 0;     // H below the block, before the next piece
};

/// Sweeps bands until there are none left. @param constants the problem's
template <class P, int W>
__global__ void __launch_bounds__(sweep_threads, 4)
    sweep_bits_kernel(const __grid_constant__ SweepArguments arguments,
                      const __grid_constant__ typename P::template Constants<i64> constants) {
  __shared__ BitMemory memories[sweep_threads / 32];
  BitMemory& memory = memories[threadIdx.x / 32];
  device::begin_in_turn(arguments.launch, arguments.tickets, arguments.processors);
  while (take_band(arguments, memory.band)) {
    cut_to_diagonals(arguments, memory.band);
    Candidate found;
    if (!BitSweep<P, W>(arguments, constants, memory).run(found)) return;
    finish_band(arguments, memory.band, found, false);
  }
}

}  // namespace terrace::wavefront
