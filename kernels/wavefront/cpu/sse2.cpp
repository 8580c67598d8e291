// The band kernels for any x86-64.
#define TERRACE_ISA sse2
#include "kernels/wavefront/cpu/kernel.hpp"
#include "kernels/wavefront/cpu/sums/kernel.hpp"
