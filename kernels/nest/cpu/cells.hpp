// Nests on the CPU, cell by cell.
#pragma once

#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// A kernel that computes every cell as it is defined: tiles of the skewed iterations, those of a hyperplane by all
/// threads.
std::unique_ptr<device::BlockKernel> make_cells_cpu(const NestSpec& spec, device::Context& context, void* workspace);

}  // namespace terrace::nest
