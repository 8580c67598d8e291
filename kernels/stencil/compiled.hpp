// Formulas that a job writes, compiled for the CPU when a run begins, by the compiler of C++ of the machine.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// Bytes of host memory that the kernel allocates in addition to tiles and carries, or the strips that stand in for
/// it.
std::size_t stencil_compiled_bytes(const StencilSpec& spec, int threads);

/// make_stencil_cpu() of formulas that a job writes, compiled, or taken from the context's store.
/// @throws compiled::NotCompiled (kernels/compiled/store.hpp)
std::unique_ptr<device::BlockKernel> make_stencil_compiled(const StencilSpec& spec, device::Context& context);

}  // namespace terrace::stencil
