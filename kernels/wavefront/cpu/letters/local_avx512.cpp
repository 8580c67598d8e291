// The same with AVX-512.
#define TERRACE_ISA avx512
#include "kernels/wavefront/cpu/letters/local_kernel.hpp"
