// The descriptor and the result of a block of pairs.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::pairs {

using device::i16;
using device::i32;
using device::i64;
using device::i8;
using device::u16;
using device::u32;
using device::u64;
using device::u8;

/// An item of the rows with one of the columns, by their numbers in the block.
struct Pair {
  i32 row, column;
};

/// A pair's reported cell: letters consumed of its row item and of its column item.
struct End {
  i64 row, column;
};

/// Items lie one after another: item n of the rows is elements [row_begin[n], row_begin[n + 1]) of `rows`. Elements
/// are u8 codes of letters, or values of PairsSpec::value.
struct PairsTask {
  const void* rows;
  const i64* row_begin;  // one more than items
  const void* columns;
  const i64* column_begin;  // one more than items
  i64 row_items, column_items;
  const Pair* pairs;  // null: each item of the rows with each of the columns, row-major
  i64 count;          // pairs
  void* scores;       // one value of PairsSpec::value a pair, in the order of the pairs
  End* ends;          // one a pair; null: not asked for (PairsSpec::ends)
};

/// Counts of a block's kernel; 0 where a kernel does not count it.
struct PairsResult {
  i64 again;    // pairs that were computed again in a wider type
  i64 stopped;  // pairs that were left before their last row or column, since they exceed PairsSpec::at_most
};

/// The pair of that number.
TERRACE_HOST_DEVICE constexpr Pair pair_of(const PairsTask& task, i64 number) {
  if (task.pairs != nullptr) return task.pairs[number];
  return {static_cast<i32>(number / task.column_items), static_cast<i32>(number % task.column_items)};
}

}  // namespace terrace::pairs
