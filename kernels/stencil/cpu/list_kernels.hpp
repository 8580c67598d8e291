// The kernels of all formulas and patterns of the lists. Included only by sse2.cpp, avx2.cpp and avx512.cpp, each of
// which is compiled for its instruction set and defines TERRACE_ISA.
#pragma once

#include "kernels/stencil/cpu/kernel.hpp"

namespace terrace::stencil::TERRACE_ISA {

template <class... Fs>
RowKernels row_kernels_at(int formula, OperatorList<Fs...>) {
  static constexpr RowKernels kernels[] = {{{make_row<Fs, float>, row_change<float>, all_finite<float>},
                                            {make_row<Fs, double>, row_change<double>, all_finite<double>}}...};
  return kernels[formula];
}

RowKernels row_kernels(int formula) { return row_kernels_at(formula, Formulas{}); }

template <class... Fs>
BlockKernels block_kernels_at(int number, OperatorList<Fs...>) {
  static constexpr BlockKernels kernels[] = {{block_kernels_of<Fs, float>(), block_kernels_of<Fs, double>()}...};
  return kernels[number];
}

BlockKernels block_kernels(int formula, int pattern) {
#if defined(__FMA__)
  if (pattern >= 0) return block_kernels_at(pattern, Patterns{});
  return block_kernels_at(formula, Formulas{});
#else
  (void)formula, (void)pattern;
  return {};
#endif
}

}  // namespace terrace::stencil::TERRACE_ISA
