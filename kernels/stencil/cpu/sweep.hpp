// Stencils on the CPU with a chosen instruction set.
#pragma once

#include "kernels/device/cpu_features.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// make_stencil_cpu() with a chosen instruction set, which the CPU must have.
std::unique_ptr<device::BlockKernel> make_stencil_cpu(const StencilSpec& spec, device::Context& context,
                                                      device::InstructionSet set);

/// make_stencil_compiled() with a chosen instruction set, which the CPU must have.
std::unique_ptr<device::BlockKernel> make_stencil_compiled(const StencilSpec& spec, device::Context& context,
                                                           device::InstructionSet set);

}  // namespace terrace::stencil
