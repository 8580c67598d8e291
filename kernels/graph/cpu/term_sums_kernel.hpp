// Sums of terms on packs. Included only by sse2.cpp, avx2.cpp and avx512.cpp, each of which is compiled for its
// instruction set and defines TERRACE_ISA.
#pragma once

#include "kernels/graph/cpu/term_sums.hpp"
#include "kernels/values/cpu_pack.hpp"

namespace terrace::graph::TERRACE_ISA {

/// Packs whose sums are in registers at a time: with fewer, each addition waits for the one before it.
inline constexpr int packs_at_once = 8;

/// Makes the cells of some packs from cell j on.
template <int packs, bool weighted, class T>
void sum_packs(const TermSum<T>& sum, i64 j, T* made) {
  using values::TERRACE_ISA::Pack;
  constexpr i64 lanes = Pack<T>::lanes;
  Pack<T> all[packs];
  for (int n = 0; n < packs; ++n) {
    all[n] = Pack<T>::load(sum.x[0] + j + n * lanes);
    if constexpr (weighted) all[n] = times(Pack<T>(sum.c[0]), all[n]);
  }
  for (i64 term = 1; term < sum.terms; ++term) {
    const T* const x = sum.x[term] + j;
    for (int n = 0; n < packs; ++n) {
      Pack<T> own = Pack<T>::load(x + n * lanes);
      if constexpr (weighted) own = times(Pack<T>(sum.c[term]), own);
      all[n] = plus(all[n], own);
    }
  }
  for (int n = 0; n < packs; ++n) all[n].store(made + j + n * lanes);
}

template <bool weighted, class T>
void sum_cells(const TermSum<T>& sum, i64 begin, i64 end, T* made) {
  constexpr i64 lanes = values::TERRACE_ISA::Pack<T>::lanes;
  i64 j = begin;
  for (; j + packs_at_once * lanes <= end; j += packs_at_once * lanes)
    sum_packs<packs_at_once, weighted>(sum, j, made);
  for (; j + lanes <= end; j += lanes) sum_packs<1, weighted>(sum, j, made);
  for (; j < end; ++j) {
    T own = weighted ? sum.c[0] * sum.x[0][j] : sum.x[0][j];
    for (i64 term = 1; term < sum.terms; ++term)
      own = own + (weighted ? sum.c[term] * sum.x[term][j] : sum.x[term][j]);
    made[j] = own;
  }
}

template <class T>
void sum_terms(const TermSum<T>& sum, i64 begin, i64 end, T* made) {
  if (sum.c != nullptr) sum_cells<true>(sum, begin, end, made);
  else sum_cells<false>(sum, begin, end, made);
}

template void sum_terms<float>(const TermSum<float>&, i64, i64, float*);
template void sum_terms<double>(const TermSum<double>&, i64, i64, double*);

}  // namespace terrace::graph::TERRACE_ISA
