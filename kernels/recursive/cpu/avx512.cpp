// The tile kernels for AVX512.
#define TERRACE_ISA avx512
#include "kernels/recursive/cpu/intervals/kernel.hpp"
