// The operations of formulas over strips for SSE2.
#define TERRACE_ISA sse2
#include "kernels/formula/cpu/kernels.hpp"
