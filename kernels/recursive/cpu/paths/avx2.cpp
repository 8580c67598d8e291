// The kernels of tables with trails for AVX2.
#define TERRACE_ISA avx2
#include "kernels/recursive/cpu/paths/kernel.hpp"
