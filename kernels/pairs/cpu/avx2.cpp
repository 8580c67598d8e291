// The kernels of pairs for AVX2.
#define TERRACE_ISA avx2
#include "kernels/pairs/cpu/bits_kernel.hpp"
#include "kernels/pairs/cpu/letters_kernel.hpp"
#include "kernels/pairs/cpu/series_kernel.hpp"
#include "kernels/pairs/cpu/striped_kernel.hpp"
