// Rows of kept nodes on the CPU.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/graph/stored.hpp"

namespace terrace::graph {

using device::i32;
using device::i64;

/// Stores a row as stored() does. A number is rounded by adding one so large that its last bit is 1, and subtracting
/// it again, which are operations of vectors.
template <class Stored, class T>
void store_row(const T* __restrict row, i64 columns, Stored* __restrict to) {
  if constexpr (is_whole<Stored>) {
    constexpr T most{largest_stored<Stored>}, large = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);
    for (i64 j = 0; j < columns; ++j) {
      const T scaled = values::times(row[j], most);
      const T inside = scaled > 0 ? values::smaller(scaled, most) : T{0};
      to[j] = static_cast<Stored>(static_cast<i32>(values::minus(values::plus(inside, large), large)));
    }
  } else {
    for (i64 j = 0; j < columns; ++j) to[j] = stored<Stored>(row[j]);
  }
}

}  // namespace terrace::graph
