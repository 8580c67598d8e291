// The kernels of tables of bits for AVX2.
#define TERRACE_ISA avx2
#include "kernels/recursive/cpu/bits/count_kernel.hpp"
#include "kernels/recursive/cpu/bits/kernel.hpp"
