// The band kernels for AVX-512 (F, BW, VL, DQ).
#define TERRACE_ISA avx512
#include "kernels/wavefront/cpu/kernel.hpp"
