// The kernels of pairs for SSE2.
#define TERRACE_ISA sse2
#include "kernels/pairs/cpu/bits_kernel.hpp"
#include "kernels/pairs/cpu/letters_kernel.hpp"
#include "kernels/pairs/cpu/series_kernel.hpp"
#include "kernels/pairs/cpu/striped_kernel.hpp"
