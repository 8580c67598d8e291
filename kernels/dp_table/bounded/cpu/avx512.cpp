// Passes of bounded steps for AVX512.
#define TERRACE_ISA avx512
#include "kernels/dp_table/bounded/cpu/kernel.hpp"
