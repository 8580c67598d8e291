#include "kernels/device/cuda_limits.hpp"

#include <array>
#include <string>
#include <string_view>

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/cuda_toolkit.hpp"

namespace terrace::device {
namespace {

/// Ceilings measured on one chip: a device-to-device copy (read + write), a pinned host-to-device copy, and 32-bit
/// fused add-max operations.
struct KnownChip {
  std::string_view name;
  double memory, link, operations;
};

constexpr std::array known_chips{
    KnownChip{"NVIDIA H200", 4.3e12, 55.6e9, 16.6e12},
    KnownChip{"NVIDIA H100 80GB HBM3", 3.0e12, 55.0e9, 16.6e12},
};

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  TERRACE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, index));
  return value;
}

/// Integer min and max operations that one multiprocessor starts in a clock.
constexpr double operations_per_clock = 64;

void derive_ceilings(Limits& limits, int index) {
  const double memory_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, index);
  const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8.0;
  const double core_hz = 1e3 * attribute(cudaDevAttrClockRate, index);
  limits.memory_bytes_per_second = 2 * memory_hz * bus_bytes;  // two transfers a clock
  limits.operations_per_second = core_hz * limits.processors * operations_per_clock;
}

}  // namespace

Limits cuda_limits(int index) {
  cudaDeviceProp properties;
  TERRACE_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
  TERRACE_CUDA_CHECK(cudaSetDevice(index));
  Limits limits;
  limits.name = properties.name;
  limits.kind = "cuda sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
  limits.processors = properties.multiProcessorCount;
  limits.block_shared_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, index));
  TERRACE_CUDA_CHECK(cudaMemGetInfo(&limits.free_bytes, &limits.memory_bytes));
  for (const KnownChip& chip : known_chips) {
    if (chip.name != limits.name) continue;
    limits.memory_bytes_per_second = chip.memory;
    limits.link_bytes_per_second = chip.link;
    limits.operations_per_second = chip.operations;
    return limits;
  }
  derive_ceilings(limits, index);
  return limits;
}

std::string cuda_toolkit() {
#ifdef CUDART_VERSION
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
#else
  return "simulated";
#endif
}

bool cuda_unoptimised() {
#ifdef TERRACE_CUDA_UNOPTIMISED
  return true;
#else
  return false;
#endif
}

}  // namespace terrace::device
