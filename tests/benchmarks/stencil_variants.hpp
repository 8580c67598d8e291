// Sizes of kernels that stream rows of formulas, to be timed against each other. They are compiled with benchmarks
// alone; the kernel's own sizes are in kernels/stencil/measured.hpp.
#pragma once

#include <memory>
#include <vector>

#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

using MakeStencil = std::unique_ptr<device::BlockKernel> (*)(const StencilSpec& spec, device::Context& context,
                                                             void* workspace);

/// A stencil's kernel with certain sizes.
struct StencilVariant {
  const char* name;  // of the operator
  ElementType type;
  measured::StreamSizes sizes;
  MakeStencil make;
};

/// The list in tests/benchmarks/CMakeLists.txt.
const std::vector<StencilVariant>& stencil_variants();

}  // namespace terrace::stencil
