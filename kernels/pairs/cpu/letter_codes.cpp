#include "kernels/pairs/cpu/letter_codes.hpp"

#include <array>

namespace terrace::pairs {
namespace {

using Codes = std::array<bool, 256>;

Codes codes_of(const void* items, const i64* begin, i64 count) {
  const auto* letters = static_cast<const u8*>(items);
  Codes codes{};
  for (i64 at = begin[0]; at < begin[count]; ++at) codes[letters[at]] = true;
  return codes;
}

/// The largest code that there is not, and that is not `other`; -1: none.
int absent(const Codes& codes, int other) {
  int code = 255;
  while (code >= 0 && (codes[static_cast<std::size_t>(code)] || code == other)) --code;
  return code;
}

}  // namespace

std::optional<Pads> pads_of(const PairsTask& task) {
  const int column = absent(codes_of(task.rows, task.row_begin, task.row_items), -1);
  const int row = absent(codes_of(task.columns, task.column_begin, task.column_items), column);
  if (row < 0 || column < 0) return std::nullopt;
  return Pads{static_cast<u8>(row), static_cast<u8>(column)};
}

}  // namespace terrace::pairs
