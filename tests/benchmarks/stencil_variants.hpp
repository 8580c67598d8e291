// Kernels of sums in two dimensions with sizes of their own, to be timed side by side.
#pragma once

#include <string>
#include <vector>

#include "tests/benchmarks/stencil_on_cuda.hpp"

namespace terrace::stencil::benchmark {

/// A kernel of one stencil with sizes of its own.
struct Variant {
  std::string stencil;  // as spec_of() takes it
  int radius;
  ElementType type;
  std::string sizes;  // in words
  MakeKernel make;
};

/// All variants; those of one stencil follow one another. To try other sizes, add them in stencil_variants.cu.
std::vector<Variant> variants();

}  // namespace terrace::stencil::benchmark
