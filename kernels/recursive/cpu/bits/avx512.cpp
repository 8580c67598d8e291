// The kernels of tables of bits for AVX512.
#define TERRACE_ISA avx512
#include "kernels/recursive/cpu/bits/count_kernel.hpp"
#include "kernels/recursive/cpu/bits/kernel.hpp"
