// The kernels of tables whose steps are bounded.
#pragma once

#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/dp_table/bounded_table.hpp"
#include "kernels/launch/block_kernel.hpp"

namespace terrace::dp_table {

/// Computes blocks with descriptors BoundedTask and results BoundedResult, one after another. @param table outlives
/// it
std::unique_ptr<device::BlockKernel> make_bounded_cpu(const BoundedTable& table, device::Context& context);
/// The same in an instruction set of the processor.
std::unique_ptr<device::BlockKernel> make_bounded_cpu(const BoundedTable& table, device::Context& context,
                                                      device::InstructionSet set);

}  // namespace terrace::dp_table
