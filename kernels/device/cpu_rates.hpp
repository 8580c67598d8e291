// The ceilings of this CPU, measured or stated.
#pragma once

#include "kernels/device/cpu_features.hpp"

namespace terrace::device {

struct CpuRates {
  double operations_per_second = 0;     // 32-bit integer add and max, in vectors, all threads together
  double multiply_adds_per_second = 0;  // fused ones of f32, in the same way; 0 if the CPU has none
  double memory_bytes_per_second = 0;   // copy of buffers beyond the caches, read + write, all threads together
};

/// The rates that the environment states in TERRACE_CPU_RATES: the three, in this order, with commas between. Without
/// it they are measured, for some 20 ms, with that many threads, once in a process. @throws DeviceError if it says
/// something else
CpuRates cpu_rates(InstructionSet set, int threads);

}  // namespace terrace::device
