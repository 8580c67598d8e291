// Bands of problems with a bit-parallel form, for scores alone: the code around the vectorised kernel.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "kernels/values/aligned_array.hpp"
#include "kernels/wavefront/cpu/band.hpp"
#include "kernels/wavefront/cpu/borders.hpp"
#include "kernels/wavefront/cpu/tickets.hpp"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/rules/bit_lines.hpp"
#include "kernels/wavefront/rules/diagonals.hpp"
#include "kernels/wavefront/seed_limits.hpp"

namespace terrace::wavefront {

using values::AlignedArray;

using device::u64;

/// Data that all bands of a sweep share.
template <class P>
struct BitsPlan {
  typename P::template Constants<i64> constants;
  AdvanceBits advance;
  i64 words;  // of a full band, which fill whole vectors
  ElementType border;
  DiagonalBand diagonals;
  std::shared_ptr<const BandLimits> limits;  // of the diagonals; null: none
  BitLines lines;                            // kept if a block's task has room for them; 0: none

  i64 band_rows() const { return 64 * words; }
  /// Columns of the table that its rows [row_begin, row_end) have in the band of diagonals.
  ColumnRange columns_of(i64 row_begin, i64 row_end) const {
    return limits ? limits->columns(row_begin, row_end) : diagonals.columns(row_begin, row_end);
  }
};

/// Memory of one thread: the words of a band.
struct BitsScratch {
  explicit BitsScratch(i64 words);

  BitWords view;
  AlignedArray<u64> plus, minus, others, last, rare, saved_plus, saved_minus;
  AlignedArray<u64> letters[code_bits], columns[code_bits], above[2], below[2];
};

/// Memory of one block in flight: its columns' letters as words a chunk, and the rows between its bands, in place.
struct BitsSlot {
  BitsSlot(i64 columns);

  AlignedArray<u64> columns[code_bits], rare, row[2];
  i64 h = 0;       // below the last band that is complete, in the last column that it has
  i64 before = 0;  // below the last band that has begun, in the column before its first
  BlockResult found{0, 0, 0};
};

/// One band being swept. Word w of the band is a chunk of columns behind word w - 1. The band has only those chunks
/// of the block that the diagonals of the sweep meet; values next to them are as if only letters without a partner
/// led there.
template <class P>
class BitsBand {
 public:
  BitsBand(const BitsPlan<P>& plan, BitsScratch& scratch, BitsSlot& slot, Band& band)
      : plan_(plan),
        words_(scratch),
        slot_(slot),
        band_(band),
        task_(band.task()),
        columns_(task_.column_end - task_.column_begin),
        row_(band.index() * plan.band_rows()),
        rows_(std::min(plan.band_rows(), task_.row_end - task_.row_begin - row_)),
        last_word_((rows_ - 1) / 64),
        chunks_((columns_ + chunk_columns - 1) / chunk_columns) {
    find_range();
  }

  bool sweep();

 private:
  /// Cost in H of a letter without a partner.
  static constexpr i64 gap = P::Bits::counts_pairs ? 0 : 1;

  void find_range();
  bool crosses(i64 begin, i64 end, i64 column) const;
  ColumnRange chunks_of(const ColumnRange& columns) const;
  i64 left_h(i64 row) const;
  i64 top_h(i64 column) const;
  i64 before_begin() const;
  i64 above_end() const;
  i64 steps() const { return range_.end - range_.begin + last_word_; }
  i64 end_column() const { return std::min(columns_, range_.end * chunk_columns); }
  void load_rows();
  void load_left();
  void load_column();
  void load_top(i64 chunk);
  void place_columns(i64 step);
  BitLetters letters_of(i64 step);
  void compute(i64 step);
  void keep_lines(i64 step) const;
  void keep_row(i64 word, i64 chunk) const;
  void keep_columns(i64 step) const;
  void give(i64 chunk);
  void give_border(i64 chunk);
  i64 rise() const;
  void store_right(i64 h) const;

  const BitsPlan<P>& plan_;
  BitsScratch& words_;
  BitsSlot& slot_;
  Band& band_;
  const BlockTask& task_;
  i64 columns_;
  i64 row_, rows_;  // the band's first, of the block; their number
  i64 last_word_;   // which has the last row
  i64 chunks_;
  ColumnRange range_{0, 0};  // the chunks that the band has of the block's
  ColumnRange above_{0, 0};  // columns of the row above; with end 0 the block has no such row
  bool left_inside_ = true;  // the column before the first chunk is the block's left border, and known
  i64 since_rare_ = 0;       // steps since a chunk with codes above 3 entered
  bool rows_rare_ = false;   // the band's rows have such codes
  i64 below_h_ = 0;          // below the block, before the next chunk
};

}  // namespace terrace::wavefront
