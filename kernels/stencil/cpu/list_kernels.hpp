// The kernels of all formulas and patterns of the lists. Included only by sse2.cpp, avx2.cpp and avx512.cpp, each of
// which is compiled for its instruction set and defines TERRACE_ISA.
#pragma once

#include "kernels/stencil/cpu/kernel.hpp"

namespace terrace::stencil::TERRACE_ISA {

RowKernels row_kernels(int formula) {
  RowKernels kernels{};
  Formulas::visit(formula, [&]<class F>(F) {
    kernels = {{make_row<F, float>, row_change<float>, all_finite<float>},
               {make_row<F, double>, row_change<double>, all_finite<double>}};
  });
  return kernels;
}

template <class List>
BlockKernels block_kernels_at(int number) {
  BlockKernels kernels{};
  List::visit(number, [&]<class F>(F) { kernels = {block_kernels_of<F, float>(), block_kernels_of<F, double>()}; });
  return kernels;
}

BlockKernels block_kernels(int formula, int pattern) {
#if defined(__FMA__)
  if (pattern >= 0) return block_kernels_at<Patterns>(pattern);
  return block_kernels_at<Formulas>(formula);
#else
  (void)formula, (void)pattern;
  return {};
#endif
}

}  // namespace terrace::stencil::TERRACE_ISA
