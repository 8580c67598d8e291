// Sums of terms over the cells of a row: those of neighbourhoods, of any size. Included by files that are compiled
// for newer instruction sets than the rest: no host library header.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::graph {

using device::i64;

/// A sum c[0]*x[0][j] + c[1]*x[1][j] + ... of each cell j, added up from the first term on; each operation is rounded
/// once.
template <class T>
struct TermSum {
  const T* const* x = nullptr;
  const T* c = nullptr;  // null: all are 1, and nothing is multiplied
  i64 terms = 1;
};

/// Makes cells [begin, end) of a row.
template <class T>
using SumTerms = void (*)(const TermSum<T>& sum, i64 begin, i64 end, T* made);

namespace sse2 {
template <class T>
void sum_terms(const TermSum<T>& sum, i64 begin, i64 end, T* made);
}
namespace avx2 {
template <class T>
void sum_terms(const TermSum<T>& sum, i64 begin, i64 end, T* made);
}
namespace avx512 {
template <class T>
void sum_terms(const TermSum<T>& sum, i64 begin, i64 end, T* made);
}

}  // namespace terrace::graph
