// Passes of bounded steps for SSE2.
#define TERRACE_ISA sse2
#include "kernels/dp_table/bounded/cpu/kernel.hpp"
