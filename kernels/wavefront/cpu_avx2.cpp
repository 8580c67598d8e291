// The band kernels for AVX2.
#define TERRACE_ISA avx2
#include "kernels/wavefront/cpu_kernel.hpp"
#include "kernels/wavefront/cpu_sums_kernel.hpp"
