// The kernels of tables with many dimensions.
#pragma once

#include <memory>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/dp_table/table.hpp"
#include "kernels/launch/block_kernel.hpp"

namespace terrace::dp_table {

/// Computes blocks with descriptors TableTask and results TableResult, one after another: a block may read the tiles
/// of earlier blocks of its launch.
class TableKernel : public device::BlockKernel {
 public:
  /// The tables of the blocks of the next launches, by TableTask::table; all of the combine, type, order and
  /// schedule for which the kernel was made. Not while a launch runs.
  virtual void set_tables(const std::vector<Table>& tables) = 0;
};

/// @param table the first of the tables; its combine, type, order and schedule are those of all
/// @throws DeviceError if there is no kernel for its type
std::unique_ptr<TableKernel> make_tables_cpu(const Table& table, device::Context& context);
/// The same in an instruction set of the processor, which is the context's own in the other function.
std::unique_ptr<TableKernel> make_tables_cpu(const Table& table, device::Context& context,
                                             device::InstructionSet set);

/// Bytes of the workspace of make_tables_cuda() for such tables, together in one launch.
std::size_t tables_cuda_bytes(const std::vector<Table>& tables);
/// Seconds in which that kernel is expected to make a full tile of such a table; 0: there is no model of its
/// schedule.
double tile_cuda_seconds(const Table& table);
/// The order of a table's dimensions in which that kernel is expected to make a full tile in the least time, for
/// in_order(): those up to the one that is cut into rows stay, the others follow.
std::vector<int> fast_cuda_order(const Table& table);
/// @param workspace device memory of `bytes` bytes; set_tables() throws DeviceError for tables that need more
std::unique_ptr<TableKernel> make_tables_cuda(const Table& table, device::Context& context, void* workspace,
                                              std::size_t bytes);

}  // namespace terrace::dp_table
