// Tables that take one step after another, on the CPU.
#pragma once

#include <memory>

#include "kernels/device/cpu_context.hpp"
#include "kernels/dp_table/kernels.hpp"

namespace terrace::dp_table {

/// The kernel of tables of Order::unordered. @throws DeviceError if there is none for the combine and type
std::unique_ptr<TableKernel> make_passes_cpu(const Table& table, device::CpuContext& context,
                                             device::InstructionSet set);

}  // namespace terrace::dp_table
