// The tile kernels for SSE2.
#define TERRACE_ISA sse2
#include "kernels/recursive/cpu/intervals/kernel.hpp"
