// The sweep of a band of words: borders in, chunks of columns, borders out.
#pragma once

#include <bit>

#include "kernels/values/letter_bits.hpp"
#include "kernels/wavefront/cpu/bits/sweeper.hpp"

namespace terrace::wavefront {

/// The chunks of the block that columns of the table touch.
template <class P>
ColumnRange BitsBand<P>::chunks_of(const ColumnRange& columns) const {
  if (columns.begin >= task_.column_end) return {chunks_, chunks_};
  const i64 begin = std::max<i64>(0, columns.begin - task_.column_begin);
  const i64 end = std::clamp<i64>(columns.end - task_.column_begin, 0, columns_);
  return {begin / chunk_columns, (end + chunk_columns - 1) / chunk_columns};
}

/// True if rows [begin, end) of the table have cells in the diagonals just before and just after the column edge.
template <class P>
bool BitsBand<P>::crosses(i64 begin, i64 end, i64 column) const {
  const ColumnRange range = plan_.columns_of(begin, end);
  return range.begin < column && column < range.end;
}

template <class P>
void BitsBand<P>::find_range() {
  const i64 row = task_.row_begin + row_;
  range_ = chunks_of(plan_.columns_of(row, row + rows_));
  left_inside_ = range_.begin == 0 && (task_.left == nullptr || crosses(row, row + rows_, task_.column_begin));
  above_ = row == 0 ? ColumnRange{0, chunks_} : chunks_of(plan_.columns_of(row - plan_.band_rows(), row));
}

template <class P>
bool BitsBand<P>::sweep() {
  if (!band_.wait_left()) return false;
  if (range_.begin >= range_.end) return band_.publish(columns_), true;
  if (above_.end > 0 && !band_.wait_above(std::min(columns_, (range_.begin + 1) * chunk_columns))) return false;
  load_rows();
  load_left();
  since_rare_ = last_word_ + 1;
  for (i64 step = 0; step < steps(); ++step) {
    const i64 entering = range_.begin + step, leaving = entering - last_word_;
    if (entering < range_.end) {
      if (above_.end > 0 && !band_.wait_above(std::min(columns_, (entering + 1) * chunk_columns))) return false;
      load_top(entering);
    }
    place_columns(step);
    compute(step);
    keep_lines(step);
    if (leaving < range_.begin) continue;
    give(leaving);
    if (leaving + 1 < range_.end) band_.publish((leaving + 1) * chunk_columns);
  }
  const i64 above = above_end();
  if (task_.right != nullptr) store_right(above);
  slot_.h = above + rise();
  slot_.found = {slot_.h, task_.row_end, task_.column_end};
  band_.publish(columns_);
  return true;
}

/// H of a row of the block, -1 being the corner, in the column before the block.
template <class P>
i64 BitsBand<P>::left_h(i64 row) const {
  if (task_.left == nullptr) return P::template left<i64>(plan_.constants, task_.row_begin + row).h;
  i64 h = 0;
  read_border(plan_.border, task_.left, row + 1, 1, &h);
  return h;
}

template <class P>
i64 BitsBand<P>::top_h(i64 column) const {
  if (column < 0) return left_h(-1);
  if (task_.top == nullptr) return P::template top<i64>(plan_.constants, task_.column_begin + column).h;
  i64 h = 0;
  read_border(plan_.border, task_.top, column, 1, &h);
  return h;
}

/// H above the band in the column before its first chunk, if its left border does not have it.
template <class P>
i64 BitsBand<P>::before_begin() const {
  if (band_.first()) {
    if (range_.begin > 0) return top_h(range_.begin * chunk_columns - 1);
    return P::Bits::counts_pairs ? top_h(0) - 1 : top_h(0) + 1;  // nothing worse stands next to it
  }
  i64 h = slot_.before;
  for (i64 chunk = above_.begin; chunk < range_.begin; ++chunk) {
    h += std::popcount(slot_.row[0][chunk]) - std::popcount(slot_.row[1][chunk]);
  }
  return h;
}

/// H above the band in its last column.
template <class P>
i64 BitsBand<P>::above_end() const {
  const i64 known = std::min(end_column(), above_.end * chunk_columns);
  const i64 h = above_.end == 0 ? left_h(row_ - 1) : band_.first() ? top_h(known - 1) : slot_.h;
  return h + gap * (end_column() - known);
}

template <class P>
void BitsBand<P>::load_rows() {
  const auto* codes = static_cast<const device::u8*>(task_.rows) + row_;
  rows_rare_ = false;
  for (i64 w = 0; w < plan_.words; ++w) {
    u64 planes[code_bits];
    pack_letters(codes + 64 * w, std::clamp<i64>(rows_ - 64 * w, 0, 64), planes);
    u64 others = 0;
    for (int k = 0; k < code_bits; ++k) {
      words_.letters[k][w] = planes[k];
      if (k > 1) others |= planes[k];
    }
    words_.others[w] = others;
    words_.last[w] = static_cast<u64>(w == last_word_ ? (rows_ - 1) % 64 : 63);
    rows_rare_ = rows_rare_ || others != 0;
  }
}

/// Vertical differences of the column before the band's first chunk.
template <class P>
void BitsBand<P>::load_left() {
  for (auto& below : words_.below) std::fill_n(below.data(), plan_.words, u64{0});
  if (left_inside_) {
    load_column();
  } else {
    below_h_ = before_begin() + gap * rows_;
    for (i64 w = 0; w < plan_.words; ++w) {
      words_.plus[w] = gap != 0 ? low_bits(std::max<i64>(0, rows_ - 64 * w)) : 0;
      words_.minus[w] = 0;
    }
  }
  slot_.before = below_h_;
  const bool hands_down = band_.last() && task_.bottom != nullptr && range_.begin > 0;
  if (hands_down) write_border(plan_.border, &below_h_, 1, task_.bottom, range_.begin * chunk_columns - 1);
}

template <class P>
void BitsBand<P>::load_column() {
  i64 before = left_h(row_ - 1);
  for (i64 w = 0; w < plan_.words; ++w) {
    words_.plus[w] = words_.minus[w] = 0;
    for (i64 i = 64 * w; i < std::min(rows_, 64 * w + 64); ++i) {
      const i64 h = left_h(row_ + i);
      words_.plus[w] |= static_cast<u64>(h > before) << (i % 64);
      words_.minus[w] |= static_cast<u64>(h < before) << (i % 64);
      before = h;
    }
  }
  below_h_ = before;
}

/// Horizontal differences above the band, of one chunk.
template <class P>
void BitsBand<P>::load_top(i64 chunk) {
  u64 plus = 0, minus = 0;
  if (chunk >= above_.end) {
    plus = gap != 0 ? ~u64{0} : 0;
  } else if (!band_.first()) {
    plus = slot_.row[0][chunk];
    minus = slot_.row[1][chunk];
  } else {
    const i64 begin = chunk * chunk_columns;
    i64 before = chunk == 0 && !left_inside_ ? before_begin() : top_h(begin - 1);
    for (i64 i = 0; i < chunk_columns && begin + i < columns_; ++i) {
      const i64 h = top_h(begin + i);
      plus |= static_cast<u64>(h > before) << (63 - i);
      minus |= static_cast<u64>(h < before) << (63 - i);
      before = h;
    }
  }
  words_.above[0][0] = plus;
  words_.above[1][0] = minus;
}

/// Gives every word its next chunk: its letters, and the row below the word above for that chunk.
template <class P>
void BitsBand<P>::place_columns(i64 step) {
  for (i64 w = last_word_; w > 0; --w) {
    for (int p = 0; p < 2; ++p) words_.above[p][w] = words_.below[p][w - 1];
  }
  for (i64 w = 0; w <= last_word_; ++w) {
    const i64 chunk = range_.begin + step - w;
    const bool inside = chunk >= range_.begin && chunk < range_.end;
    for (int k = 0; k < code_bits; ++k) words_.columns[k][w] = inside ? slot_.columns[k][chunk] : 0;
    words_.rare[w] = inside ? slot_.rare[chunk] : 0;
  }
}

template <class P>
BitLetters BitsBand<P>::letters_of(i64 step) {
  const i64 entering = range_.begin + step;
  since_rare_ = entering < range_.end && slot_.rare[entering] != 0 ? 0 : since_rare_ + 1;
  if (since_rare_ > last_word_) return BitLetters::four;
  return rows_rare_ ? BitLetters::any : BitLetters::rare;
}

/// One chunk of every word. Words before their first chunk and after their last keep their differences; so does the
/// one on a last chunk that is not full, from its end on.
template <class P>
void BitsBand<P>::compute(i64 step) {
  const BitLetters letters = letters_of(step);
  words_.view.count = last_word_ + 1;
  words_.view.whole = rows_ % 64 == 0 || (band_.last() && task_.bottom == nullptr);
  const auto keep = [&](i64 first, i64 last) {  // words [first, last)
    for (i64 w = first; w < std::min(last, last_word_ + 1); ++w) {
      words_.saved_plus[w] = words_.plus[w];
      words_.saved_minus[w] = words_.minus[w];
    }
  };
  const auto restore = [&](i64 first, i64 last) {
    for (i64 w = first; w < std::min(last, last_word_ + 1); ++w) {
      words_.plus[w] = words_.saved_plus[w];
      words_.minus[w] = words_.saved_minus[w];
    }
  };
  const i64 begun = step + 1, ending = begun - (range_.end - range_.begin);  // the word on the last chunk
  const i64 ended = std::max<i64>(0, ending);                                // words [ended, begun) are inside
  keep(0, ended);
  keep(begun, last_word_ + 1);
  const i64 full = end_column() - (range_.end - 1) * chunk_columns;
  if (ending >= 0 && full < chunk_columns) {
    plan_.advance(words_.view, full, letters);
    keep(ending, ending + 1);
    plan_.advance(words_.view, chunk_columns - full, letters);
    restore(ending, ending + 1);
  } else {
    plan_.advance(words_.view, chunk_columns, letters);
  }
  restore(0, ended);
  restore(begun, last_word_ + 1);
}

/// Stores the newly computed words of kept lines.
template <class P>
void BitsBand<P>::keep_lines(i64 step) const {
  const KeptTask& kept = band_.kept();
  if (plan_.lines.rows > 0 && kept.rows != nullptr) {
    const i64 period = plan_.lines.rows / word_cells, first = period - 1 - row_ / word_cells % period;
    for (i64 w = first; w <= last_word_; w += period) {
      const i64 chunk = range_.begin + step - w;
      if (chunk >= range_.begin && chunk < range_.end && rows_ >= word_cells * (w + 1)) keep_row(w, chunk);
    }
  }
  if (plan_.lines.columns > 0 && kept.columns != nullptr) keep_columns(step);
}

template <class P>
void BitsBand<P>::keep_row(i64 word, i64 chunk) const {
  const KeptTask& kept = band_.kept();
  const i64 line = (row_ + word_cells * (word + 1)) / plan_.lines.rows - 1;
  u64* to = static_cast<u64*>(kept.rows) + line * P::Bits::planes * kept.row_stride + chunk;
  for (int p = 0; p < P::Bits::planes; ++p) to[p * kept.row_stride] = words_.below[p][word];
}

/// Stores the kept columns of words whose chunk ends at one.
template <class P>
void BitsBand<P>::keep_columns(i64 step) const {
  static_assert(word_cells == chunk_columns);
  const KeptTask& kept = band_.kept();
  const i64 period = plan_.lines.columns / word_cells;
  for (i64 w = (range_.begin + step + 1) % period; w <= last_word_; w += period) {
    const i64 chunk = range_.begin + step - w;
    if (chunk < range_.begin || chunk >= range_.end || (chunk + 1) * chunk_columns > columns_) continue;
    const i64 line = (chunk + 1) / period - 1;
    u64* to = static_cast<u64*>(kept.columns) + line * P::Bits::planes * kept.column_stride + row_ / word_cells + w;
    to[0] = words_.plus[w];
    if (P::Bits::planes > 1) to[kept.column_stride] = words_.minus[w];
  }
}

/// Hands down the border below the chunk: to the next band, or to the border below the block.
template <class P>
void BitsBand<P>::give(i64 chunk) {
  if (!band_.last()) {
    for (int p = 0; p < 2; ++p) slot_.row[p][chunk] = words_.below[p][last_word_];
  } else if (task_.bottom != nullptr) {
    give_border(chunk);
  }
}

template <class P>
void BitsBand<P>::give_border(i64 chunk) {
  const u64 plus = words_.below[0][last_word_], minus = words_.below[1][last_word_];
  const i64 begin = chunk * chunk_columns, count = std::min(chunk_columns, columns_ - begin);
  i64 values[chunk_columns];
  for (i64 i = 0; i < count; ++i) {
    below_h_ += static_cast<i64>(plus >> (63 - i) & 1) - static_cast<i64>(minus >> (63 - i) & 1);
    values[i] = below_h_;
  }
  write_border(plan_.border, values, count, task_.bottom, begin);
}

/// The rise over the band's rows in the last column.
template <class P>
i64 BitsBand<P>::rise() const {
  i64 rise = 0;
  for (i64 w = 0; w <= last_word_; ++w) {
    const u64 real = low_bits(rows_ - 64 * w);
    rise += std::popcount(words_.plus[w] & real) - std::popcount(words_.minus[w] & real);
  }
  return rise;
}

/// Stores the last column, and the value right above it if no other band writes it, if the diagonals continue after
/// it. @param h above the band
template <class P>
void BitsBand<P>::store_right(i64 h) const {
  const i64 row = task_.row_begin + row_;
  if (!crosses(row, row + rows_, task_.column_end)) return;
  const bool corner = band_.first() || !crosses(row - plan_.band_rows(), row, task_.column_end);
  if (corner) write_border(plan_.border, &h, 1, task_.right, row_);
  for (i64 w = 0; w <= last_word_; ++w) {
    i64 values[64];
    const i64 count = std::min<i64>(64, rows_ - 64 * w);
    for (i64 i = 0; i < count; ++i) {
      h += static_cast<i64>(words_.plus[w] >> i & 1) - static_cast<i64>(words_.minus[w] >> i & 1);
      values[i] = h;
    }
    write_border(plan_.border, values, count, task_.right, 1 + row_ + 64 * w);
  }
}

}  // namespace terrace::wavefront
