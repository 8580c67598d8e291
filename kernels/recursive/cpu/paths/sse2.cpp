// The kernels of tables with trails for SSE2.
#define TERRACE_ISA sse2
#include "kernels/recursive/cpu/paths/kernel.hpp"
