// Parts of tables for SSE2.
#define TERRACE_ISA sse2
#include "kernels/dp_table/cpu/kernel.hpp"
