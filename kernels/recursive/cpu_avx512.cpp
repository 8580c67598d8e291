// The tile kernels for AVX512.
#define TERRACE_ISA avx512
#include "kernels/recursive/cpu_interval_kernel.hpp"
