// The kernels of stencils for SSE2.
#define TERRACE_ISA sse2
#include "kernels/stencil/cpu/list_kernels.hpp"
