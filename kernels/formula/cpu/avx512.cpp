// The operations of formulas over strips for AVX-512 (F, BW, VL, DQ).
#define TERRACE_ISA avx512
#include "kernels/formula/cpu/kernels.hpp"
