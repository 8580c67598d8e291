// The vectors of an instruction set that is chosen at run time.
#pragma once

#include "kernels/device/cpu_features.hpp"
#include "kernels/device/for_instruction_set.hpp"
#include "kernels/device/integers.hpp"
#include "kernels/values/vector_bytes.hpp"

namespace terrace::values {

inline device::i64 vector_bytes(device::InstructionSet set) {
  return device::for_instruction_set<device::i64>(set, sse2::vector_bytes, avx2::vector_bytes, avx512::vector_bytes);
}

}  // namespace terrace::values
