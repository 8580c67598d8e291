// Sums of terms over rows of graphs for AVX2.
#define TERRACE_ISA avx2
#include "kernels/graph/cpu/term_sums_kernel.hpp"
