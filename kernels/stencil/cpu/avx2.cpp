// The kernels of stencils for AVX2.
#define TERRACE_ISA avx2
#include "kernels/stencil/cpu/list_kernels.hpp"
