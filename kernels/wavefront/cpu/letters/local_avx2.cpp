// The same with AVX2.
#define TERRACE_ISA avx2
#include "kernels/wavefront/cpu/letters/local_kernel.hpp"
