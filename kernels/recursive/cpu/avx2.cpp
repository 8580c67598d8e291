// The tile kernels for AVX2.
#define TERRACE_ISA avx2
#include "kernels/recursive/cpu/intervals/kernel.hpp"
