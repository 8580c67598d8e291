// The device of tests on CUDA, or a line with the reason why there is none.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "kernels/device/context.hpp"

namespace terrace::test {

/// The first CUDA device; null, after a line with the reason, if there is none.
inline std::unique_ptr<device::Context> cuda_context() {
  std::string why;
  if (device::cuda_devices(&why).empty()) {
    std::cout << "SKIPPED: no CUDA device (" << why << ")" << std::endl;
    return nullptr;
  }
  return device::make_cuda_context(0);
}

inline bool is_simulated(const device::Context& context) { return context.limits().name == "simulated GPU"; }

/// True where a test should try few and small cases: on a simulated GPU, and with TERRACE_FEW_CASES set, as under
/// compute-sanitizer.
inline bool few_cases(const device::Context& context) {
  return is_simulated(context) || std::getenv("TERRACE_FEW_CASES") != nullptr;
}

}  // namespace terrace::test
