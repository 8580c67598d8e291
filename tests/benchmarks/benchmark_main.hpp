// The main function of a benchmark.
#pragma once

#include <cstdio>
#include <exception>

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

}  // namespace terrace
