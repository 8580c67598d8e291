#include "kernels/device/cuda_limits.hpp"

#include <string>

#include "kernels/device/ceilings.hpp"
#include "kernels/device/cuda_check.hpp"
#include "kernels/device/cuda_toolkit.hpp"

namespace terrace::device {
namespace {

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  TERRACE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, index));
  return value;
}

/// Fused additions and maxima that one multiprocessor starts in a clock.
constexpr double operations_per_clock = 64;

void derive_ceilings(Limits& limits, int index) {
  const double memory_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, index);
  const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8.0;
  const double core_hz = 1e3 * attribute(cudaDevAttrClockRate, index);
  limits.memory_bytes_per_second = 2 * memory_hz * bus_bytes;  // two transfers a clock
  limits.operations_per_second = core_hz * limits.processors * operations_per_clock;
}

/// Puts in place of those that are derived what was measured of the chip.
void take_measured(Limits& limits) {
  const auto take = [&](double& rate, const char* name) {
    if (const double measured = measured_ceiling(limits.name, name); measured > 0) rate = measured;
  };
  take(limits.memory_bytes_per_second, ceilings::memory_copy);
  take(limits.link_bytes_per_second, ceilings::link_up);
  take(limits.operations_per_second, ceilings::i32_add_maximum);
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
  derive_ceilings(limits, index);
  take_measured(limits);
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
