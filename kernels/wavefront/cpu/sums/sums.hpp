// Shared parts of the vectorised sums and of their callers. Included by files that are compiled for newer instruction
// sets than the rest: no host library header, no code that leaves a common symbol.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/wavefront/keys.hpp"

namespace terrace::wavefront {

/// Part of a row of a summed-area table: `count` values of the grid of type G, H above them, replaced by H of this
/// row, and where H goes in the table as well (null: nowhere; otherwise aligned as T is).
template <class G, class T>
struct RowPart {
  const G* grid;
  T* h;
  T* table;
  device::i64 count;
};

/// The kernels for one pair of integer types and one instruction set.
template <class G, class T>
struct SumKernels {
  /// E(i, j+1) = E(i, j) + s(i, j), H(i, j) = H(i-1, j) + E(i, j+1), all modulo the width of T.
  /// @param e E that enters the part
  /// @return E after it
  T (*add)(const RowPart<G, T>& part, T e);
  /// No value's magnitude is larger than this one, which is less than twice as large as it need be, plus one.
  device::u64 (*magnitude)(const T* values, device::i64 count);
  device::u64 (*grid_magnitude)(const G* values, device::i64 count);
};

/// Writes 1 for each of `count` values whose key lies in the range, 0 for the others.
template <class G>
using MarkKernel = void (*)(const G* values, device::i64 count, KeyRange keys, device::u8* marks);

namespace sse2 {
template <class G, class T>
SumKernels<G, T> sum_kernels();
template <class G>
MarkKernel<G> mark_kernel();
}  // namespace sse2
namespace avx2 {
template <class G, class T>
SumKernels<G, T> sum_kernels();
template <class G>
MarkKernel<G> mark_kernel();
}  // namespace avx2

}  // namespace terrace::wavefront
