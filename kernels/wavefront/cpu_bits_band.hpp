// How a band of words is swept: borders in, chunks of columns, borders out.
#pragma once

#include <bit>

#include "kernels/wavefront/cpu_bits.hpp"

namespace terrace::wavefront {

/// The first `count` bits, from the lowest.
inline u64 low_bits(i64 count) { return count >= 64 ? ~u64{0} : (u64{1} << count) - 1; }

template <class P>
bool BitsBand<P>::sweep() {
  if (!band_.wait_left()) return false;
  load_rows();
  load_left();
  since_rare_ = last_word_ + 1;
  for (i64 step = 0; step < chunks_ + last_word_; ++step) {
    if (step < chunks_) {
      if (!band_.wait_above(std::min(columns_, (step + 1) * chunk_columns))) return false;
      load_top(step);
    }
    place_columns(step);
    compute(step);
    const i64 chunk = step - last_word_;
    if (chunk < 0) continue;
    give(chunk);
    if (chunk + 1 < chunks_) band_.publish((chunk + 1) * chunk_columns);
  }
  const i64 above = band_.first() ? top_h(columns_ - 1) : slot_.h;
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

template <class P>
void BitsBand<P>::load_rows() {
  const auto* codes = static_cast<const device::u8*>(task_.rows) + row_;
  rows_rare_ = false;
  for (i64 w = 0; w < plan_.words; ++w) {
    u64 planes[code_bits] = {};
    for (i64 i = 64 * w; i < std::min(rows_, 64 * w + 64); ++i) {
      for (int k = 0; k < code_bits; ++k) planes[k] |= static_cast<u64>(codes[i] >> k & 1) << (i % 64);
    }
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

/// Vertical differences of the column before the block.
template <class P>
void BitsBand<P>::load_left() {
  i64 before = left_h(row_ - 1);
  for (i64 w = 0; w < plan_.words; ++w) {
    words_.plus[w] = words_.minus[w] = 0;
    for (i64 i = 64 * w; i < std::min(rows_, 64 * w + 64); ++i) {
      const i64 h = left_h(row_ + i);
      words_.plus[w] |= static_cast<u64>(h > before) << (i % 64);
      words_.minus[w] |= static_cast<u64>(h < before) << (i % 64);
      before = h;
    }
    for (auto& below : words_.below) below[w] = 0;
  }
  below_h_ = before;
}

/// Horizontal differences above the band, of one chunk.
template <class P>
void BitsBand<P>::load_top(i64 chunk) {
  u64 plus = 0, minus = 0;
  if (!band_.first()) {
    plus = slot_.row[0][chunk];
    minus = slot_.row[1][chunk];
  } else {
    const i64 begin = chunk * chunk_columns;
    i64 before = top_h(begin - 1);
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

/// Gives every word its next chunk: its letters, and what the word above it has left below that chunk.
template <class P>
void BitsBand<P>::place_columns(i64 step) {
  for (i64 w = last_word_; w > 0; --w) {
    for (int p = 0; p < 2; ++p) words_.above[p][w] = words_.below[p][w - 1];
  }
  for (i64 w = 0; w <= last_word_; ++w) {
    const i64 chunk = step - w;
    const bool inside = chunk >= 0 && chunk < chunks_;
    for (int k = 0; k < code_bits; ++k) words_.columns[k][w] = inside ? slot_.columns[k][chunk] : 0;
    words_.rare[w] = inside ? slot_.rare[chunk] : 0;
  }
}

template <class P>
BitLetters BitsBand<P>::letters_of(i64 step) {
  since_rare_ = step < chunks_ && slot_.rare[step] != 0 ? 0 : since_rare_ + 1;
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
  const i64 begun = step + 1, ended = std::max<i64>(0, step + 1 - chunks_);  // words [ended, begun) are inside
  keep(0, ended);
  keep(begun, last_word_ + 1);
  const i64 ending = step + 1 - chunks_;  // the word on the last chunk
  const i64 full = columns_ - (chunks_ - 1) * chunk_columns;
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

/// Hands down what lies below the chunk: to the next band, or to the border below the block.
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

/// The last column, and before it the corner, which the block's first band knows. @param h above the band
template <class P>
void BitsBand<P>::store_right(i64 h) const {
  if (band_.first()) write_border(plan_.border, &h, 1, task_.right, 0);
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
