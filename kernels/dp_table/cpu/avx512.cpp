// Parts of tables for AVX512.
#define TERRACE_ISA avx512
#include "kernels/dp_table/cpu/kernel.hpp"
