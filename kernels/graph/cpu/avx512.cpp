// Sums of terms over rows of graphs for AVX512.
#define TERRACE_ISA avx512
#include "kernels/graph/cpu/term_sums_kernel.hpp"
