// The kernels of in-place sweeps for any x86-64.
#define TERRACE_ISA sse2
#include "kernels/in_place/cpu/kernel.hpp"
