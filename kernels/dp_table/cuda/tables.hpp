// The kernels of tables with many dimensions on CUDA by rule and type, and sizes of their workspace.
#pragma once

#include "kernels/dp_table/kernels.hpp"

namespace terrace::dp_table {

enum class Costs : int;

/// Bytes at the start of a workspace for the state that a block's kernels share.
inline constexpr std::size_t state_bytes = 256;

/// Makes the kernel of a rule (Least, Largest, CountOf or ReachedOf in rules.cuh) and a type of cells. Defined in the
/// source that the build makes for the two (cuda/tables.cu.in). @param table the first of the tables
template <template <class, Costs> class Rule, class T>
std::unique_ptr<TableKernel> make_tables_of(const Table& table, device::Context& context, void* workspace,
                                            std::size_t bytes);

}  // namespace terrace::dp_table
