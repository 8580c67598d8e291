// Passes of bounded steps for AVX2.
#define TERRACE_ISA avx2
#include "kernels/dp_table/bounded/cpu/kernel.hpp"
