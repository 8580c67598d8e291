// The kernels of in-place sweeps for AVX2.
#define TERRACE_ISA avx2
#include "kernels/in_place/cpu/kernel.hpp"
