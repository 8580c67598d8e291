// The vectorised parts of searches for SSE2.
#define TERRACE_ISA sse2
#include "kernels/recursive/cpu/searches/kernel.hpp"
