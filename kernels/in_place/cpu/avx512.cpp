// The kernels of in-place sweeps for AVX-512 (F, BW, VL, DQ).
#define TERRACE_ISA avx512
#include "kernels/in_place/cpu/kernel.hpp"
