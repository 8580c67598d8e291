// The kernels of tables with trails for AVX512.
#define TERRACE_ISA avx512
#include "kernels/recursive/cpu/paths/kernel.hpp"
