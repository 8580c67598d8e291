// The vectorised parts of searches for AVX2.
#define TERRACE_ISA avx2
#include "kernels/recursive/cpu/searches/kernel.hpp"
