// The kernel that sweeps problems with a bit-parallel form: bands of rows, a bit a row, differences instead of cells.
//
// A warp walks over a band of 1024 x W rows from left to right, four columns a step. Lane l holds W words of 32
// rows and is a step behind lane l - 1, from which it takes the horizontal differences above its rows by shuffle,
// all of a step at once. A lane looks up in shared memory which of its rows have a letter. The band hands down the
// differences below its last row: a word of 32 columns a plane, tagged with the band's number (tagged.cuh), first
// column in the highest bit. H itself is computed where borders and the report need it, by counting bits. A kept
// row (bit_lines.hpp) has the words that a band hands down, a kept column the words that the lanes hold as they
// pass it.
//
// In a table of one block a band may be cut to the pieces that meet a band of diagonals. Left of these pieces, and
// right of the pieces of the band above, only letters without a partner count (diagonals.hpp).
#pragma once

#include "kernels/values/bits.hpp"
#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"
#include "kernels/wavefront/cuda/bits/kept.cuh"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

inline constexpr u32 all_lanes = ~0u;

/// Tagged words of a row of `columns` columns: one cell a piece, and one with H of the last column.
__host__ __device__ inline i64 bit_row_words(i64 columns) { return 2 * ((columns + piece - 1) / piece + 1); }

/// Columns of a step, and pieces that the first lane is ahead of the last, at most.
inline constexpr int step_columns = measured::CudaBits::step_columns,
                     pieces_behind = pieces_between_lanes(step_columns);

/// Data of a warp in shared memory: the rows that have each letter, and the letters of the columns of the next piece,
/// of this piece and of earlier pieces that the lanes have not left. Piece p is at p % pieces and a second time
/// `pieces` places further on, so that the last pieces are always contiguous.
template <int W>
struct BitMemory {
  static constexpr int pieces = pieces_behind + 2;
  static constexpr int columns = 2 * pieces * piece;
  static constexpr int read_ahead = measured::CudaBits::steps_ahead * step_columns;
  /// Letters that are looked up, and one that no row has.
  static constexpr int letters = 4;

  KernelBand band;
  alignas(16) u32 differ[letters + 1][32][W];    // of a letter: rows, a bit each, that have another one
  u32 planes[code_bits][32][W];                  // bits of the rows' codes
  alignas(16) i32 places[columns + read_ahead];  // of the columns' letters in `differ`, in bytes
  u32 codes[columns + read_ahead];
};

/// The columns that rows [row, row + rows) of a table of so many columns meet in the diagonals, in whole words of
/// kept lines.
__device__ inline ColumnRange columns_on_diagonals(const SweepArguments& a, i64 row, i64 rows) {
  const ColumnRange range = a.diagonals.columns(row, row + rows);
  const i64 begin = maximum(range.begin, i64(0)) / word_cells * word_cells;
  const i64 end = (minimum(range.end, a.columns) + word_cells - 1) / word_cells * word_cells;
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
/// @tparam keeps lines are kept
template <class P, int W, bool keeps>
class BitSweep {
 public:
  using Bits = typename P::Bits;
  using Constants = typename P::template Constants<i64>;
  using Rows = typename Bits::template Rows<u32>;
  using Tagged = TaggedCell<u32, 2>;
  static constexpr int planes = Bits::planes;
  static constexpr int lane_rows = 32 * W;
  static constexpr int band_rows = 32 * lane_rows;
  /// Cost in H of a letter without a partner.
  static constexpr i32 gap = Bits::counts_pairs ? 0 : 1;

  using Memory = BitMemory<W>;

  __device__ BitSweep(const SweepArguments& arguments, const Constants& constants, Memory& memory)
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
    row_ = border_row(a_, band_) + band_.start / piece * Tagged::words;
    tag_ = tag_of(band_.ticket);
    pieces_ = (width_ + piece - 1) / piece;
    last_cell_ = static_cast<i32>((band_.task.column_end - band_.task.column_begin + piece - 1) / piece);
    takes_tagged_ = top_is_tagged(band_);
    reads_top_ = !takes_tagged_ && band_.task.top != nullptr;
    above_width_ = width_above();
    const bool block_follows = a_.across == 1 && (band_.block + 1) * a_.bands < a_.tickets;
    hands_on_ = !band_.last || block_follows;
    hands_out_ = band_.last && band_.task.bottom != nullptr;
    ends_within_ = band_.rows != band_rows && (hands_on_ || hands_out_);
    gives_ = hands_on_ && lane_ == last_lane_;
    const i32 asked_end = takes_tagged_ ? (above_width_ + piece - 1) / piece - 1 : pieces_;
    plain_end_ = ends_within_ || hands_out_ || reads_top_ ? 0 : minimum(asked_end, width_ / piece);
    load_rows();
    load_left();
    begin_letters();
    if constexpr (keeps) lines_.begin(a_, band_, band_rows);
    for (i32 p = 0; p < pieces_ + pieces_behind; ++p) {
      const bool plain = p >= pieces_behind && since_equal_ > pieces_behind && !next_equal_;
      if (plain && !(keeps && lines_.comes_to_column(p))) p = sweep_plain(p);
      if (!take_piece(p)) return false;
      const bool keeps_column = keeps && lines_.comes_to_column(p);
      const bool inside = p >= pieces_behind && (p + 1) * piece <= width_ && !keeps_column;
      // The loop for any letters is also the one for bands that end within the warp's rows.
      if (ends_within_ || since_equal_ <= pieces_behind) steps<true, true>(p, hands_out_);
      else if (inside) steps<false, false>(p, hands_out_);
      else steps<true, false>(p, hands_out_);
      device::random_delay(a_.launch, band_.ticket + static_cast<u32>(p));
    }
    return finish(found);
  }

 private:
  /// The band's columns that the band above has too.
  __device__ i32 width_above() const {
    if (a_.diagonals.whole() || band_.index == 0) return width_;
    return static_cast<i32>(columns_on_diagonals(a_, band_.first_row - band_rows, band_rows).end) - band_.start;
  }

  /// Writes the letters of the rows into shared memory for the lanes.
  __device__ void load_rows() {
#pragma unroll 1
    for (int word = 0; word < 32 * W; ++word) {
      const i32 row = word * 32 + lane_;
      u32 code = 0;
      if (row < band_.rows) {
        code = device::load_past_l1(static_cast<const device::u8*>(band_.task.rows) + band_.first_row + row);
      }
      note_rare(code);
      u32 differ = 0;  // from the letter whose code is the lane's number
#pragma unroll
      for (int k = 0; k < code_bits; ++k) {
        const u32 plane = __ballot_sync(all_lanes, code >> k & 1);
        if (lane_ == k) memory_.planes[k][word / W][word % W] = plane;
        differ |= plane ^ (0u - (static_cast<u32>(lane_) >> k & 1));
      }
      if (lane_ <= Memory::letters) {
        memory_.differ[lane_][word / W][word % W] = lane_ < Memory::letters ? differ : all_lanes;
      }
    }
    __syncwarp();
  }

  /// Lane l keeps which of the codes from 32 l on occur in the band.
  __device__ void note_rare(u32 code) {
    for (u32 left = __ballot_sync(all_lanes, code > 3); left != 0; left &= left - 1) {
      const u32 one = __shfl_sync(all_lanes, code, __ffs(left) - 1);
      if (one / 32 == static_cast<u32>(lane_)) occurring_ |= 1u << one % 32;
      rows_rare_ = true;
    }
  }
  /// True if one of the requested letters is above 3 and occurs in the band.
  __device__ bool letters_occur() const {
    return rows_rare_ && __any_sync(all_lanes, next_code_ > 3) && any_occurs(next_code_);
  }
  /// True if a letter above 3 of some lane occurs in the band.
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

  /// Looks up the first letters, and requests the inputs of the first piece.
  __device__ void begin_letters() {
    for (int at = lane_; at < Memory::columns + Memory::read_ahead; at += 32) memory_.places[at] = 0;
    ring_ = Memory::pieces - 1;
    fetch_letters(0);
    next_equal_ = letters_occur();
    put_letters();
    fetch_letters(1);
    ask_above(0);
    const int at = Memory::pieces * piece - step_columns * lane_;
    find_places(at);
    look_up();
    find_places(at + step_columns);
  }

  /// Requests the letters of piece p, a column a lane; letters after the last column have no effect.
  __device__ __forceinline__ void fetch_letters(i32 p) {
    if (p >= pieces_) return;
    const i32 column = minimum(p * piece + lane_, width_ - 1);
    next_code_ = device::load_past_l1(static_cast<const device::u8*>(band_.task.columns) + column);
  }

  /// Writes the requested letters into shared memory for the lanes.
  __device__ __forceinline__ void put_letters() {
    const int slot = ring_ + 1 < Memory::pieces ? ring_ + 1 : 0;
    const u32 letter = next_code_ < Memory::letters ? next_code_ : Memory::letters;
    __syncwarp();  // other lanes may still read what lies there
    put_letter(slot * piece + lane_, letter);
    put_letter((slot + Memory::pieces) * piece + lane_, letter);
    if (slot == 0 && lane_ < Memory::read_ahead) put_letter(Memory::columns + lane_, letter);
    __syncwarp();
  }
  __device__ void put_letter(int at, u32 letter) {
    memory_.places[at] = static_cast<i32>(letter * sizeof(memory_.differ[0]));
    memory_.codes[at] = next_code_;
  }

  /// Asks for the differences above piece p.
  __device__ __forceinline__ void ask_above(i32 p) {
    asks_ = takes_tagged_ && p * piece < above_width_;
    if (asks_) asked_ = Tagged::ask(row_, p);
    else if (reads_top_) rises_above(p * piece + lane_);
    else next_above_[0] = gap != 0 ? all_lanes : 0, next_above_[1] = 0;
  }
  /// The same from the border above the block. @param column the lane's
  __device__ void rises_above(i32 column) {
    const i64 rise = column < width_ ? top_h(column) - top_h(column - 1) : 0;
    next_above_[0] = __brev(__ballot_sync(all_lanes, rise > 0));
    next_above_[1] = __brev(__ballot_sync(all_lanes, rise < 0));
  }

  /// Begins piece p, once the band above has written the cells above it, and requests the inputs of the next piece.
  __device__ __forceinline__ bool take_piece(i32 p) {
    if (!wait_for_cell(p)) return false;
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) above_[plane] = next_above_[plane];
    ask_above(p + 1);
    since_equal_ = next_equal_ ? 0 : since_equal_ + 1;
    next_equal_ = letters_occur();
    ring_ = ring_ + 1 < Memory::pieces ? ring_ + 1 : 0;
    put_letters();
    fetch_letters(p + 2);
    return true;
  }

  /// Goes over pieces from p on as long as what lies above them is there and all letters are plain: with as few
  /// branches as can be, which cost more than anything else that is done once a piece. @return the first piece left
  __device__ __forceinline__ i32 sweep_plain(i32 p) {
    const i32 end = keeps ? minimum(plain_end_, lines_.next_piece()) : plain_end_;
    for (; p < end; ++p) {
      u32 above[2];
      const bool there = Tagged::read(asked_, tag_ - 1, above) || !takes_tagged_;
      if (!__all_sync(all_lanes, there && !(rows_rare_ && next_code_ > 3))) break;
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) above_[plane] = takes_tagged_ ? above[plane] : next_above_[plane];
      asked_ = Tagged::ask(row_, p + 1);
      ring_ = ring_ + 1 < Memory::pieces ? ring_ + 1 : 0;
      put_letters();
      const i32 column = minimum((p + 2) * piece + lane_, width_ - 1);
      next_code_ = device::load_past_l1(static_cast<const device::u8*>(band_.task.columns) + column);
      steps<false, false>(p, false);
      device::random_delay(a_.launch, band_.ticket + static_cast<u32>(p));
    }
    return p;
  }

  /// Waits until the band above has written that cell of the tagged row, if it was asked for: it is looked at here
  /// and not before, so that it has the time between to come. False when the launch is over.
  __device__ bool wait_for_cell(i32 cell) {
    if (!asks_) return true;
    const auto is_written = [&] {
      if (__all_sync(all_lanes, Tagged::read(asked_, tag_ - 1, next_above_))) return true;
      asked_ = Tagged::ask(row_, cell);
      return false;
    };
    return device::wait_by_warp<device::backoffs::bits_above>(
        is_written, [&] { return device::must_leave(a_.launch, band_.block); });
  }

  /// The steps in which the first lane passes piece p.
  /// @tparam edges some lane is outside the block in some of them, or passes a kept column @tparam any letters of all
  /// codes are distinguished, and the band may end within the warp's rows
  template <bool edges, bool any>
  __device__ __forceinline__ void steps(i32 p, bool hands_out) {
    const int last_lane = any ? last_lane_ : 31;
    const int give_at = (step_columns * last_lane + piece - step_columns) % piece;
    const i32 given = p - 1 + (give_at + step_columns - step_columns * last_lane) / piece;
    const i32 column = p * piece - step_columns * lane_;
    const int at = (ring_ + Memory::pieces) * piece - step_columns * lane_;
    constexpr int unrolled = edges ? 1 : piece / step_columns;
#pragma unroll unrolled
    for (int i = 0; i < piece; i += step_columns) {
      step<edges, any>(column + i, at + i);
      if constexpr (keeps && edges) lines_.pass(column + i + step_columns, differences_);
      // The lane that ends the band has now seen the last column of a piece.
      if (i == give_at && (!edges || (given >= 0 && given < pieces_))) give_piece<any>(given, hands_out);
    }
  }

  /// The steps' work on the next columns. Values handed down outside the block are never read.
  /// @param at place of the first column's letter in the warp's memory
  template <bool edges, bool any>
  __device__ __forceinline__ void step(i32 column, int at) {
    u32 above[planes];
#pragma unroll
    for (int plane = 0; plane < planes; ++plane) {
      above[plane] = __shfl_up_sync(all_lanes, below_[plane], 1) << (32 - step_columns);
      // The first lane's neighbour is the border.
      if (lane_ == 0) above[plane] = above_[plane];
      above_[plane] <<= step_columns;
    }
    u32 differ[step_columns][W];
#pragma unroll
    for (int c = 0; c < step_columns; ++c) {
#pragma unroll
      for (int w = 0; w < W; ++w) differ[c][w] = any ? differ_in_planes(w, memory_.codes[at + c]) : differ_[c][w];
    }
    look_up();
    find_places(at + 2 * step_columns);
#pragma unroll
    for (int c = 0; c < step_columns; ++c) {
      const bool here = !edges || static_cast<u32>(column + c) < static_cast<u32>(width_);
      u32 bits[planes];
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) bits[plane] = take_highest(above[plane]);
#pragma unroll
      for (int w = 0; w < W; ++w) {
        Rows rows = differences_[w];
        u32 words[planes];
        Bits::template column<u32>(rows, differ[c][w], bits, words);
        if (here) differences_[w] = rows;
#pragma unroll
        for (int plane = 0; plane < planes; ++plane) {
          if (any && w == last_word_) ended_[plane] = ended_[plane] << 1 | words[plane] << last_shift_ >> 31;
        }
      }
#pragma unroll
      for (int plane = 0; plane < planes; ++plane) below_[plane] = 2 * below_[plane] + bits[plane];
    }
  }

  /// Looks up the letters of a step, and the rows that have them, each a step ahead, so that no step waits for it.
  __device__ __forceinline__ void find_places(int at) {
    static_assert(step_columns == 4);
    const int4 places = *reinterpret_cast<const int4*>(&memory_.places[at]);
    place_[0] = places.x, place_[1] = places.y, place_[2] = places.z, place_[3] = places.w;
  }
  __device__ __forceinline__ void look_up() {
    const auto* rows = reinterpret_cast<const unsigned char*>(memory_.differ[0][lane_]);
#pragma unroll
    for (int c = 0; c < step_columns; ++c) {
      if constexpr (W == 2) {
        const uint2 words = *reinterpret_cast<const uint2*>(rows + place_[c]);
        differ_[c][0] = words.x, differ_[c][1] = words.y;
      } else {
        differ_[c][0] = *reinterpret_cast<const u32*>(rows + place_[c]);
      }
    }
  }

  /// Bit r: the letter of row r of word w differs from the column's letter.
  __device__ u32 differ_in_planes(int w, u32 code) const {
    u32 result = 0;
#pragma unroll
    for (int k = 0; k < code_bits; ++k) result |= memory_.planes[k][lane_][w] ^ (0u - (code >> k & 1));
    return result;
  }

  /// Hands down the differences below piece p: to the next band, or to the border below the block.
  template <bool any>
  __device__ __forceinline__ void give_piece(i32 p, bool hands_out) {
    const u32 plus = any && ends_within_ ? ended_[0] : below_[0];
    const u32 minus = planes == 1 ? 0 : any && ends_within_ ? ended_[planes - 1] : below_[planes - 1];
    if (gives_) {
      const u32 values[2] = {plus, minus};
      Tagged::store(row_, p, tag_, values);
    }
    if constexpr (keeps) {
      if (lane_ == 31 && lines_.ends_line()) lines_.store_row(p, plus, minus);
    }
    if (hands_out) {
      below_h_ = store_border(a_.border, band_.task.bottom, p * piece + lane_, width_, below_h_,
                              __shfl_sync(all_lanes, plus, last_lane_), __shfl_sync(all_lanes, minus, last_lane_));
    }
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
  Memory& memory_;
  const int lane_;
  const i32 width_;                            // columns of the block, or those on the diagonals
  bool takes_tagged_ = false;                  // the values above are in the tagged row
  bool reads_top_ = false;                     // or in the border above the block, and else rises as the table's own
  bool hands_on_ = false, hands_out_ = false;  // the next band needs the values below; so does the block's border
  bool ends_within_ = false;                   // the band's last row is not the warp's last row
  bool gives_ = false;                         // this lane hands it on
  int ring_ = 0;                               // place of this piece in memory
  i32 pieces_ = 0;                             // of 32 columns
  i32 plain_end_ = 0;                          // first piece at which there may be something special
  i32 last_cell_ = 0;                          // of the tagged row from here on, with H of a band's last column
  i32 above_width_ = 0;                        // columns that the band above has, too
  i32 last_lane_ = 0, last_word_ = 0;          // that hold the band's last row
  i32 last_shift_ = 0;                         // from its bit to the highest
  bool rows_rare_ = false;                     // true if letters above 3 occur in the band
  u32 occurring_ = 0;                          // which of 32 codes those are
  bool next_equal_ = false;                    // true if the next piece has such a letter
  i32 since_equal_ = pieces_behind;            // pieces since one had; pieces before the first have none
  Rows differences_[W];                        // of the last column, from row to row
  u32 above_[planes] = {};                     // the first lane's next differences from column to column
  u32 below_[planes] = {};                     // the last differences below this lane's rows, the newest lowest
  u32 ended_[planes] = {};                     // the same below the band's last row, if that ends within the warp's
  i32 place_[step_columns] = {};               // of the letters of the step after the next
  u32 differ_[step_columns][W] = {};           // rows that do not have the letters of the next step
  u32 next_code_ = 0, next_above_[2] = {};     // the piece that was asked for
  typename Tagged::Words asked_;               // the cell above it, if asks_
  bool asks_ = false;
  BandLines<P, W, step_columns> lines_;  // if lines are kept
  u64* row_ = nullptr;                   // the tagged row, read above the band and written below it
  u32 tag_ = 0;                          // the band's own
  i64 below_h_ = 0;                      // H below the block, before the next piece
};

/// Sweeps bands until there are none left. @param constants the problem's @tparam keeps lines are kept
template <class P, int W, bool keeps>
__global__ void __launch_bounds__(sweep_threads, 4)
    sweep_bits_kernel(const __grid_constant__ SweepArguments arguments,
                      const __grid_constant__ typename P::template Constants<i64> constants) {
  __shared__ BitMemory<W> memories[sweep_threads / 32];
  BitMemory<W>& memory = memories[threadIdx.x / 32];
  device::begin_in_turn(arguments.launch, arguments.tickets, arguments.processors, blockDim.x / 32);
  while (take_band(arguments, memory.band)) {
    cut_to_diagonals(arguments, memory.band);
    Candidate found;
    if (!BitSweep<P, W, keeps>(arguments, constants, memory).run(found)) return;
    finish_band(arguments, memory.band, found, false);
  }
}

}  // namespace terrace::wavefront
