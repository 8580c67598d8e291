// The ceilings of this CPU, measured or stated.
#pragma once

#include <filesystem>

#include "kernels/device/cpu_features.hpp"

namespace terrace::device {

struct CpuRates {
  double operations_per_second = 0;     // 32-bit integer add and max, in vectors, all threads together
  double multiply_adds_per_second = 0;  // fused ones of f32, in the same way; 0 if the CPU has none
  double memory_bytes_per_second = 0;   // copy of buffers beyond the caches, read + write, all threads together
};

/// The rates that the environment states in TERRACE_CPU_RATES: the three, in this order, with commas between. Without
/// it they are those that an earlier process has kept in the cache folder; if there are none they are measured, for
/// some 20 ms and more, with that many threads, and kept. @throws DeviceError if it says something else
CpuRates cpu_rates(InstructionSet set, int threads);

/// Measures the rates anew and keeps them for later processes. @return the file; empty if no folder is known
std::filesystem::path measure_cpu(InstructionSet set, int threads);

}  // namespace terrace::device
