// The band kernels for AVX2.
#define TERRACE_ISA avx2
#include "kernels/wavefront/cpu/kernel.hpp"
#include "kernels/wavefront/cpu/sums/kernel.hpp"
