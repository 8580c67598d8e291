// The kernels of tables of bits for SSE2.
#define TERRACE_ISA sse2
#include "kernels/recursive/cpu/bits/count_kernel.hpp"
#include "kernels/recursive/cpu/bits/kernel.hpp"
