#include "kernels/dp_table/cpu/passes.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include "kernels/device/for_instruction_set.hpp"

#include "kernels/dp_table/cpu/part.hpp"
#include "kernels/dp_table/measured.hpp"
#include "kernels/dp_table/visit.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::dp_table {
namespace {

using device::InstructionSet;

PassFunction pass_function(InstructionSet set, const Table& table) {
  return device::for_instruction_set(set, sse2::pass_function, avx2::pass_function, avx512::pass_function)(
      table.combine, table.type);
}

/// A pass of a block, and the cells to which its step leads.
struct TilePass {
  PassWork work;
  PassBox whole;  // the tile
  bool within;    // true if the step leads to cells of the tile, which take it first
  i64 cells;      // of the tile
};

TilePass pass_of(const Table& table, const TableTask& task) {
  TilePass pass{};
  PassWork& work = pass.work;
  const std::int64_t* step = task.pass >= 0 ? table.steps.step(task.pass) : nullptr;
  const Extents strides = row_major_strides(table.extents);
  const int whole = table.cut.whole;
  for (int d = whole; d < table.extents.rank(); ++d) {
    const i64 extent = d == whole ? task.rows : table.extents[d], component = step == nullptr ? 0 : step[d];
    work.dimensions[work.rank] = {extent, strides[d], component};
    pass.whole.end[work.rank++] = extent;
    work.offset += component * strides[d];
  }
  pass.cells = task.rows * strides[whole];
  work.cells = task.cells;
  work.first_row = task.first_row;
  work.modulus = table.modulus;
  if (step == nullptr) return pass;
  pass.within = std::all_of(step, step + whole, [](i64 component) { return component == 0; });
  work.before = task.before[0];
  work.source = pass.within ? task.cells : task.source[0];
  return pass;
}

class PassesOnCpu final : public TableKernel, private device::CpuBlocks<TableTask, TableResult> {
  using Blocks = device::CpuBlocks<TableTask, TableResult>;

 public:
  PassesOnCpu(const Table& table, device::CpuContext& context, InstructionSet set)
      : Blocks(context.pool()), function_(pass_function(set, table)) {
    if (function_ == nullptr) {
      throw DeviceError("make_passes_cpu", "there is no kernel for " + std::string(name_of(table.combine)) + " in " +
                                               std::string(terrace::name_of(table.type)));
    }
  }

  void set_tables(const std::vector<Table>& tables) override { tables_ = tables; }
  void run(const device::Port& port) override { Blocks::run(port); }

 private:
  TableResult compute(const TableTask& task) override {
    TableResult result{};
    result.best_cell = -1;
    const Table& table = tables_.at(static_cast<std::size_t>(task.table));
    const TilePass pass = pass_of(table, task);
    result.overflow = task.pass == no_step ? begin(table, task, pass) : take(pass);
    visit_rule(table.combine, table.type, [&](auto rule) {
      using T = typename decltype(rule)::Value;
      result.last = static_cast<i64>(static_cast<const T*>(task.cells)[pass.cells - 1]);
    });
    return result;
  }

  /// Makes the cells as they are before the first step.
  i64 begin(const Table& table, const TableTask& task, const TilePass& pass) {
    visit_rule(table.combine, table.type, [&](auto rule) {
      using Rule = decltype(rule);
      auto* cells = static_cast<typename Rule::Value*>(task.cells);
      const i64 pieces = std::clamp<i64>(pass.cells / measured::CpuParts::most_cells, 1, threads());
      in_turn(pieces, [&](i64 piece, int) {
        std::fill(cells + pass.cells * piece / pieces, cells + pass.cells * (piece + 1) / pieces, Rule::unreached());
      });
      const i64* end = task.prefix + table.cut.whole;
      if (task.first_row == 0 && std::all_of(task.prefix, end, [](i64 index) { return index == 0; })) {
        cells[0] = Rule::origin(table.modulus);
      }
    });
    return -1;
  }

  /// The cells take the step. Threads share a dimension along which it does not lead, else the cells that lead to
  /// none of each other.
  i64 take(const TilePass& pass) {
    const PassWork& work = pass.work;
    const auto extent = [&](i32 d) { return work.dimensions[d].extent; };
    const auto is_free = [&](i32 d) { return !pass.within || work.dimensions[d].component == 0; };
    i32 shared = -1;
    for (i32 d = 0; d < work.rank; ++d) {
      if (is_free(d) && extent(d) > 1 && (shared < 0 || extent(d) > extent(shared))) shared = d;
    }
    if (shared >= 0 || !pass.within) return take_shared(work, pass.whole, std::max(shared, 0), pass.cells);
    // In every dimension the step leads to other indices: cells of so many indices of the first one are independent.
    i32 first = 0;
    while (first + 1 < work.rank && extent(first) == 1) ++first;
    const i64 component = work.dimensions[first].component, batch = pass.cells / extent(first) * component;
    if (component == 0 || batch < measured::CpuParts::most_cells) return function_(work, pass.whole);
    i64 overflow = -1;
    for (i64 begin = 0; begin < extent(first) && overflow < 0 && !aborted(); begin += component) {
      PassBox box = pass.whole;
      box.begin[first] = begin;
      box.end[first] = std::min(extent(first), begin + component);
      overflow = take_shared(work, box, first, batch);
    }
    return overflow;
  }

  /// Cuts the box along a dimension for the threads.
  i64 take_shared(const PassWork& work, const PassBox& box, i32 d, i64 cells) {
    const i64 from = box.begin[d], length = box.end[d] - from;
    const i64 pieces = std::min(length, std::clamp<i64>(cells / measured::CpuParts::most_cells, 1, 4 * threads()));
    std::vector<i64> overflows(static_cast<std::size_t>(pieces), -1);
    in_turn(pieces, [&](i64 piece, int) {
      PassBox part = box;
      part.begin[d] = from + length * piece / pieces;
      part.end[d] = from + length * (piece + 1) / pieces;
      overflows[static_cast<std::size_t>(piece)] = function_(work, part);
    });
    i64 first = -1;
    for (const i64 overflow : overflows) {
      if (overflow >= 0 && (first < 0 || overflow < first)) first = overflow;
    }
    return first;
  }

  PassFunction function_;
  std::vector<Table> tables_;
};

}  // namespace

std::unique_ptr<TableKernel> make_passes_cpu(const Table& table, device::CpuContext& context, InstructionSet set) {
  return std::make_unique<PassesOnCpu>(table, context, set);
}

}  // namespace terrace::dp_table
