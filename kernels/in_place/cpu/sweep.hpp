// In-place sweeps on the CPU with a chosen instruction set.
#pragma once

#include "kernels/device/cpu_features.hpp"
#include "kernels/in_place/sweep.hpp"

namespace terrace::in_place {

/// make_in_place_cpu() with a chosen instruction set, which the CPU must have.
std::unique_ptr<device::BlockKernel> make_in_place_cpu(const InPlaceSpec& spec, device::Context& context,
                                                       device::InstructionSet set);

}  // namespace terrace::in_place
