// Closures on the CPU, for those who choose the instruction set.
#pragma once

#include "kernels/device/cpu_features.hpp"
#include "kernels/recursive/updates.hpp"

namespace terrace::recursive {

/// make_tiles_cpu() with a chosen instruction set, which the CPU must have.
std::unique_ptr<Updates> make_tiles_cpu(const TileSpec& spec, device::Context& context,
                                          device::InstructionSet set);

}  // namespace terrace::recursive
