// Parts of tables for AVX2.
#define TERRACE_ISA avx2
#include "kernels/dp_table/cpu/kernel.hpp"
