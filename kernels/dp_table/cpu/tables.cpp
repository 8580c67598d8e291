// Tables with many dimensions on the CPU: parts of a tile by levels, or cell by cell, and walks back.
#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <string>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/device/for_instruction_set.hpp"
#include "kernels/dp_table/cpu/papers/levels.hpp"
#include "kernels/dp_table/cpu/part.hpp"
#include "kernels/dp_table/cpu/passes.hpp"
#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/measured.hpp"
#include "kernels/dp_table/visit.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::dp_table {
namespace {

using device::InstructionSet;
using Index = std::vector<i64>;

PartFunction part_function(InstructionSet set, const Table& table, bool choice) {
  return device::for_instruction_set(set, sse2::part_function, avx2::part_function, avx512::part_function)(
      table.combine, table.type, choice);
}

/// The parts of a tile, by levels: a part needs parts of lower levels alone.
struct Parts {
  Index tile, shape;              // extents of the tile and of a full part
  Index counts;                   // of parts, in each dimension
  int first;                      // PartTable::first
  std::vector<i64> order, begin;  // parts sorted by level; where each level begins, and the end of the last

  Parts(Index tile_shape, Index part_shape, int first_of_runs)
      : tile(std::move(tile_shape)), shape(std::move(part_shape)), first(first_of_runs) {
    i64 parts = 1, levels = 1;
    for (std::size_t d = 0; d < tile.size(); ++d) {
      counts.push_back((tile[d] + shape[d] - 1) / shape[d]);
      parts *= counts.back();
      levels += counts.back() - 1;
    }
    std::vector<i64> level(static_cast<std::size_t>(parts));
    begin.assign(static_cast<std::size_t>(levels) + 1, 0);
    for (i64 part = 0; part < parts; ++part) {
      const Index at = index(part);
      level[static_cast<std::size_t>(part)] = std::accumulate(at.begin(), at.end(), i64{0});
      ++begin[static_cast<std::size_t>(level[static_cast<std::size_t>(part)]) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    order.resize(static_cast<std::size_t>(parts));
    std::vector<i64> next = begin;
    for (i64 part = 0; part < parts; ++part) {
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(level[static_cast<std::size_t>(part)])]++)] = part;
    }
  }

  Index index(i64 part) const {
    Index at(counts.size());
    for (std::size_t d = counts.size(); d-- > 0; part /= counts[d]) at[d] = part % counts[d];
    return at;
  }
};

/// A part's shape: the longest extents are halved until there are parts for all threads, or parts are small.
/// @param first the first dimension whose runs are made as wholes
Index part_shape_for(const Index& tile, std::size_t first, int threads) {
  const i64 cells = std::accumulate(tile.begin(), tile.end(), i64{1}, std::multiplies<>());
  const i64 most = std::clamp<i64>(cells / (threads * measured::CpuParts::parts_a_thread),
                                   measured::CpuParts::least_cells, measured::CpuParts::most_cells);
  Index shape = tile;
  i64 volume = cells;
  while (volume > most) {
    // Runs are cut last: they are what vectors compute.
    std::size_t longest = 0;
    const auto length = [&](std::size_t d) {
      return d >= first ? shape[d] / measured::CpuParts::run_bonus : shape[d];
    };
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (length(d) > length(longest)) longest = d;
    }
    if (shape[longest] <= 1) break;
    volume = volume / shape[longest] * ((shape[longest] + 1) / 2);
    shape[longest] = (shape[longest] + 1) / 2;
  }
  return shape;
}

LargestFunction largest_function(InstructionSet set, const Table& table) {
  return device::for_instruction_set(set, sse2::largest_function, avx2::largest_function, avx512::largest_function)(
      table.combine, table.type);
}

class TablesOnCpu final : public TableKernel, private device::CpuBlocks<TableTask, TableResult> {
  using Blocks = device::CpuBlocks<TableTask, TableResult>;

 public:
  TablesOnCpu(const Table& table, device::CpuContext& context, InstructionSet set)
      : Blocks(context.pool()),
        plain_(part_function(set, table, false)),
        choosing_(part_function(set, table, true)),
        first_largest_(largest_function(set, table)) {
    if (plain_ == nullptr) {
      throw DeviceError("make_tables_cpu", "there is no kernel for " + std::string(name_of(table.combine)) + " in " +
                                               std::string(terrace::name_of(table.type)));
    }
  }

  void set_tables(const std::vector<Table>& tables) override {
    tables_ = tables;
    runs_.clear();
    for (const Table& table : tables) runs_.emplace_back(table);
    parts_.clear();
  }
  void run(const device::Port& port) override { Blocks::run(port); }

 private:
  TableResult compute(const TableTask& task) override {
    TableResult result{};
    result.overflow = result.best_cell = -1;
    const auto number = static_cast<std::size_t>(task.table);
    const Table& table = tables_.at(number);
    visit_rule(table.combine, table.type, [&](auto rule) {
      using Rule = decltype(rule);
      using T = typename Rule::Value;
      if (task.walk_from >= 0) return walk<Rule>(table, runs_[number], task, result);
      if (table.schedule == Schedule::levels) by_cells(runs_[number], task, result);
      else by_parts(table, runs_[number], task, result);
      const auto* cells = static_cast<const T*>(task.cells);
      const i64 count = task.rows * runs_[number].strides[0];
      set_value(cells[count - 1], result.last, result.last_real);
      if constexpr (Rule::finds_largest) {
        result.best_cell = best_of(cells, count);
        set_value(cells[result.best_cell], result.best, result.best_real);
      }
    });
    return result;
  }

  template <class T>
  static void set_value(T value, i64& whole, double& real) {
    if constexpr (std::is_floating_point_v<T>) real = value;
    else whole = static_cast<i64>(value);
  }

  /// The first of the largest cells, each thread its piece.
  template <class T>
  i64 best_of(const T* cells, i64 count) {
    const i64 pieces = std::clamp<i64>(count / measured::CpuParts::most_cells, 1, threads());
    std::vector<i64> firsts(static_cast<std::size_t>(pieces), 0);
    in_turn(pieces, [&](i64 piece, int) {
      const i64 begin = count * piece / pieces, end = count * (piece + 1) / pieces;
      firsts[static_cast<std::size_t>(piece)] = begin + first_largest_(cells + begin, end - begin);
    });
    return *std::max_element(firsts.begin(), firsts.end(), [&](i64 a, i64 b) { return cells[a] < cells[b]; });
  }

  static Index tile_of(const PartTable& runs, const TableTask& task) {
    Index tile = runs.extents;
    tile[0] = task.rows;
    return tile;
  }
  static bool is_first(const PartTable& runs, const TableTask& task) {
    return std::all_of(task.prefix, task.prefix + runs.steps.whole, [](i64 index) { return index == 0; });
  }
  PartFunction function_for(const TableTask& task) const { return task.choice == nullptr ? plain_ : choosing_; }

  void by_parts(const Table& table, const PartTable& runs, const TableTask& task, TableResult& result) {
    const Parts& parts = parts_of(table, runs, tile_of(runs, task));
    const bool first = is_first(runs, task);
    std::vector<i64> overflows(static_cast<std::size_t>(threads()), -1);
    for (std::size_t level = 0; level + 1 < parts.begin.size() && !aborted(); ++level) {
      in_turn(parts.begin[level + 1] - parts.begin[level], [&](i64 number, int thread) {
        Index begin = parts.index(parts.order[static_cast<std::size_t>(parts.begin[level] + number)]), end = begin;
        for (std::size_t d = 0; d < begin.size(); ++d) {
          const i64 from = d == 0 ? task.first_row : 0;
          begin[d] *= parts.shape[d];
          end[d] = std::min(begin[d] + parts.shape[d], parts.tile[d]) + from;
          begin[d] += from;
        }
        const i64 overflow = function_for(task)({&runs, &task, begin.data(), end.data(), first});
        i64& least = overflows[static_cast<std::size_t>(thread)];
        if (overflow >= 0 && (least < 0 || overflow < least)) least = overflow;
      });
    }
    result.overflow = first_of(overflows);
  }

  static i64 first_of(const std::vector<i64>& overflows) {
    i64 first = -1;
    for (const i64 overflow : overflows) {
      if (overflow >= 0 && (first < 0 || overflow < first)) first = overflow;
    }
    return first;
  }

  void by_cells(const PartTable& runs, const TableTask& task, TableResult& result) {
    const bool first = is_first(runs, task);
    std::vector<i64> overflows(static_cast<std::size_t>(threads()), -1);
    compute_by_levels(
        tile_of(runs, task), threads(), [&](i64 pieces, const auto& work) { in_turn(pieces, work); },
        [&] { return aborted(); },
        [&](Index begin, int thread) {
          begin[0] += task.first_row;
          Index end = begin;
          for (i64& e : end) ++e;
          const i64 overflow = function_for(task)({&runs, &task, begin.data(), end.data(), first});
          i64& least = overflows[static_cast<std::size_t>(thread)];
          if (overflow >= 0 && (least < 0 || overflow < least)) least = overflow;
        });
    result.overflow = first_of(overflows);
  }

  const Parts& parts_of(const Table& table, const PartTable& runs, const Index& tile) {
    for (const Parts& parts : parts_) {
      if (parts.tile == tile && parts.first == runs.first) return parts;
    }
    Index shape = part_shape_for(tile, static_cast<std::size_t>(runs.first), threads());
    if (table.schedule == Schedule::partitioned) {
      Extents extents;
      for (const i64 extent : tile) extents.push_back(extent);
      const Extents divided = partition_of(extents, table.partition_dimensions);
      shape.assign(divided.begin(), divided.end());
    }
    if (parts_.size() == most_kept) parts_.clear();
    return parts_.emplace_back(tile, shape, runs.first);
  }

  template <class Rule>
  void walk(const Table& table, const PartTable& runs, const TableTask& task, TableResult& result) const {
    using T = typename Rule::Value;
    if constexpr (requires { Rule::better(T{}, T{}); }) {
      const StepTable& steps = runs.steps;
      const auto* cells = static_cast<const T*>(task.cells);
      const i64 row_cells = runs.strides[0];
      const bool first = is_first(runs, task);
      i64 cell = task.walk_from;
      while (result.walked < most_walked) {
        const i64 row = task.first_row + cell / row_cells;
        if (first && cell + task.first_row * row_cells == 0) {
          result.state = walk_ends;
          return;
        }
        const T value = cells[cell];
        Index index(runs.extents.size());
        i64 rest = cell + task.first_row * row_cells;
        for (std::size_t d = 0; d < index.size(); ++d) {
          index[d] = rest / runs.strides[d];
          rest %= runs.strides[d];
        }
        const Packed here = steps.pack(index.data());
        const StepEntry* found = nullptr;
        bool leaves = false;
        for (const i32 place : runs.by_number) {
          const StepEntry* entry = &steps.entries[static_cast<std::size_t>(place)];
          if (value == Rule::unreached() || !here.at_least(entry->packed, steps.guards)) continue;
          const bool before = row - entry->rows < task.first_row;
          leaves = entry->source != 0 || before;
          const T* from = cells;
          if (leaves) from = static_cast<const T*>((before ? task.before : task.source)[entry->source]);
          if (from == nullptr) continue;
          from += cell - entry->offset;
          if (*from == Rule::unreached()) continue;
          const T cost = cost_of<T>(entry->whole_cost, entry->real_cost);
          if (Rule::capped(Rule::plus(*from, cost), table.cap) == value) {
            found = entry;
            break;
          }
        }
        if (found == nullptr) {
          result.state = walk_unreachable;
          return;
        }
        result.step[result.walked++] = found->number;
        if (leaves) return;
        cell -= found->offset;
      }
    }
  }

  static constexpr std::size_t most_kept = 16;

  PartFunction plain_, choosing_;
  LargestFunction first_largest_;  // null: no best cell is looked for
  std::vector<Table> tables_;
  std::vector<PartTable> runs_;
  std::deque<Parts> parts_;  // by shapes of tiles
};

}  // namespace

std::unique_ptr<TableKernel> make_tables_cpu(const Table& table, device::Context& context, InstructionSet set) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_tables_cpu", context.limits().name + " is not a CPU");
  if (table.order == Order::unordered) return make_passes_cpu(table, *cpu, set);
  return std::make_unique<TablesOnCpu>(table, *cpu, set);
}

std::unique_ptr<TableKernel> make_tables_cpu(const Table& table, device::Context& context) {
  const auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  return make_tables_cpu(table, context, cpu == nullptr ? InstructionSet::sse2 : cpu->instruction_set());
}

}  // namespace terrace::dp_table
