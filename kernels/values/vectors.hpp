// The vectors of an instruction set that is chosen at run time.
#pragma once

#include "kernels/device/cpu_features.hpp"
#include "kernels/device/integers.hpp"
#include "kernels/values/vector_bytes.hpp"

namespace terrace::values {

inline device::i64 vector_bytes(device::InstructionSet set) {
  if (set == device::InstructionSet::avx512) return avx512::vector_bytes;
  return set == device::InstructionSet::avx2 ? avx2::vector_bytes : sse2::vector_bytes;
}

}  // namespace terrace::values
