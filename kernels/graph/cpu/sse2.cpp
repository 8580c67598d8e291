// Sums of terms over rows of graphs for SSE2.
#define TERRACE_ISA sse2
#include "kernels/graph/cpu/term_sums_kernel.hpp"
