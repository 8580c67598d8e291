// The kernels of stencils for AVX-512 (F, BW, VL, DQ).
#define TERRACE_ISA avx512
#include "kernels/stencil/cpu/list_kernels.hpp"
