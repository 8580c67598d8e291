// The operations of formulas over strips for AVX2.
#define TERRACE_ISA avx2
#include "kernels/formula/cpu/kernels.hpp"
