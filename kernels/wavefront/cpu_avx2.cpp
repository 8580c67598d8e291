// The band kernels for AVX2.
#define TERRACE_ISA avx2
#include "kernels/wavefront/cpu_kernel.hpp"
