// The kernel of local alignments in narrow types for any x86-64.
#define TERRACE_ISA sse2
#include "kernels/wavefront/cpu/letters/local_kernel.hpp"
