// The choice between what is there for each instruction set.
#pragma once

#include "kernels/device/cpu_features.hpp"

namespace terrace::device {

/// The one of three values, or functions, that an instruction set has.
template <class T>
constexpr T for_instruction_set(InstructionSet set, T sse2, T avx2, T avx512) {
  if (set == InstructionSet::avx512) return avx512;
  return set == InstructionSet::avx2 ? avx2 : sse2;
}

}  // namespace terrace::device
