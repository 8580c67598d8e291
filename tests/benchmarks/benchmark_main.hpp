// The main functions of benchmarks.
#pragma once

#include <cstdio>
#include <exception>
#include <string>

#include "kernels/device/context.hpp"

namespace terrace {

/// The exit code of a program; an error is printed, and gives 1.
template <class Program>
int benchmark_main(const Program& program) {
  try {
    return program();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

/// Runs program(context) on the first CUDA device and prints the device's name. Without a device prints a line
/// "SKIPPED: reason" and succeeds. @return the program's exit code
template <class Program>
int cuda_benchmark_main(const Program& program) {
  return benchmark_main([&] {
    std::string why;
    if (device::cuda_devices(&why).empty()) {
      std::printf("SKIPPED: no CUDA device (%s)\n", why.c_str());
      return 0;
    }
    const auto context = device::make_cuda_context(0);
    std::printf("%s, %d processors\n", context->limits().name.c_str(),
                static_cast<int>(context->limits().processors));
    std::fflush(stdout);
    program(*context);
    return 0;
  });
}

}  // namespace terrace
