// Letters of items as words of bits.
#pragma once

#include <array>
#include <vector>

#include "kernels/pairs/task.hpp"
#include "kernels/values/letter_bits.hpp"

namespace terrace::pairs {

/// Bits of codes that differ among letters.
struct CodeBits {
  unsigned mask = 0;
  int planes = 0;  // of a word: its bits, or as many as kernels take

  /// @param mask of those that differ
  explicit CodeBits(unsigned differ) : mask(differ), planes(__builtin_popcount(differ)) {
    if (planes == 0) planes = 1;
    if (planes > 5) planes = values::code_bits;
  }
};

/// The items of one side of a block, 64 letters a word.
class PackedItems {
 public:
  PackedItems(const void* items, const i64* begin, i64 count, CodeBits bits)
      : letters_(static_cast<const u8*>(items)),
        begin_(begin),
        bits_(bits),
        first_(static_cast<std::size_t>(count) + 1) {
    for (i64 n = 0; n < count; ++n) {
      const i64 words = (begin[n + 1] - begin[n] + 63) / 64;
      first_[static_cast<std::size_t>(n) + 1] = first_[static_cast<std::size_t>(n)] + words * bits.planes;
    }
    words_.resize(static_cast<std::size_t>(first_.back()));
  }

  /// @param backwards the first letter in the highest bit
  void pack(i64 item, bool backwards) {
    u64* at = words_.data() + first_[static_cast<std::size_t>(item)];
    const i64 count = begin_[item + 1] - begin_[item];
    for (i64 from = 0; from < count; from += 64) {
      u64 planes[values::code_bits];
      values::pack_letters(letters_ + begin_[item] + from, count - from < 64 ? count - from : 64, planes, bits_.mask);
      int written = 0;
      for (int bit = 0; bit < values::code_bits; ++bit) {
        if ((bits_.mask >> bit & 1) != 0) at[written++] = backwards ? values::reversed(planes[bit]) : planes[bit];
      }
      while (written < bits_.planes) at[written++] = 0;
      at += bits_.planes;
    }
  }

  /// The words of an item: of each 64 letters its planes.
  const u64* words(i64 item) const { return words_.data() + first_[static_cast<std::size_t>(item)]; }
  i64 length(i64 item) const { return begin_[item + 1] - begin_[item]; }

 private:
  const u8* letters_;
  const i64* begin_;
  CodeBits bits_;
  std::vector<i64> first_;
  std::vector<u64> words_;
};

}  // namespace terrace::pairs
