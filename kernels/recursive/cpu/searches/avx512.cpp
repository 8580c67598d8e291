// The vectorised parts of searches for AVX512.
#define TERRACE_ISA avx512
#include "kernels/recursive/cpu/searches/kernel.hpp"
