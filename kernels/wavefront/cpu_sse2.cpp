// The band kernels for any x86-64.
#define TERRACE_ISA sse2
#include "kernels/wavefront/cpu_kernel.hpp"
