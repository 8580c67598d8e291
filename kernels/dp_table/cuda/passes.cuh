// Tables that take one step after another, on CUDA, by one rule and type. Included by tables.cuh.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/dp_table/cuda/pass_kernel.cuh"
#include "kernels/dp_table/cuda/tables.hpp"
#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"

namespace terrace::dp_table {

template <class Rule>
class PassesOnCuda final : public device::CudaBlocks<TableTask, TableResult, TableKernel> {
  using Blocks = device::CudaBlocks<TableTask, TableResult, TableKernel>;
  using T = typename Rule::Value;

 public:
  PassesOnCuda(device::Context& context, void* workspace)
      : Blocks("tables", context), state_(static_cast<TableState*>(workspace)) {
    load(begin_block_, begin_threads);
    load(report_block_, 1);
    load(clear_cells_, pass_threads);
    load(take_step_, pass_threads);
  }

  void set_tables(const std::vector<Table>& tables) override { tables_ = tables; }

 private:
  bool submit(const device::Port& port, u64 block, const TableTask& task) override {
    const ChainWork work = work_of(tables_.at(static_cast<std::size_t>(task.table)), task);
    device::launch(begin_block_, shape(1, begin_threads), port, state_, static_cast<u64*>(nullptr), u64{0}, block);
    const auto blocks = std::min<i64>((work.count + pass_threads - 1) / pass_threads, most_blocks);
    if (task.pass == no_step) {
      device::launch(clear_cells_, shape(blocks, pass_threads), static_cast<const TableState*>(state_), work);
    } else if (work.before != nullptr || work.source != nullptr) {
      device::launch(take_step_, shape(blocks, pass_threads), state_, work);
    }
    device::launch(report_block_, shape(1, 1), port, static_cast<const TableState*>(state_), block,
                   static_cast<const T*>(work.cells), work.count);
    return true;
  }

  static ChainWork work_of(const Table& table, const TableTask& task) {
    ChainWork work{};
    const int whole = table.cut.whole;
    const Extents strides = row_major_strides(table.extents);
    const auto is_zero = [](i64 each) { return each == 0; };
    work.cells = task.cells;
    work.count = task.rows * strides[whole];
    work.modulus = table.modulus;
    work.has_zero = task.first_row == 0 && std::all_of(task.prefix, task.prefix + whole, is_zero);
    if (task.pass < 0) return work;
    const std::int64_t* step = table.steps.step(task.pass);
    work.within = std::all_of(step, step + whole, is_zero);
    work.before = task.before[0];
    work.source = work.within != 0 ? task.cells : task.source[0];
    for (int d = whole; d < table.extents.rank(); ++d) {
      work.offset += step[d] * strides[d];
      if (step[d] == 0) continue;
      const bool rows = d == whole;
      work.dimensions[work.rank++] = {rows ? task.rows : table.extents[d], strides[d], step[d],
                                      rows ? task.first_row : 0};
    }
    return work;
  }

  static constexpr i64 most_blocks = 1 << 16;

  device::Kernel<device::Port, TableState*, u64*, u64, u64> begin_block_ =
      device::make_kernel(begin_block_kernel<Rule>, "begin_block_kernel");
  device::Kernel<device::Port, const TableState*, u64, const T*, i64> report_block_ =
      device::make_kernel(report_block_kernel<Rule>, "report_block_kernel");
  device::Kernel<const TableState*, ChainWork> clear_cells_ =
      device::make_kernel(clear_cells_kernel<Rule>, "clear_cells_kernel");
  device::Kernel<TableState*, ChainWork> take_step_ = device::make_kernel(take_step_kernel<Rule>, "take_step_kernel");

  TableState* state_;
  std::vector<Table> tables_;
};

}  // namespace terrace::dp_table
