// Tables whose steps are bounded, on the CPU.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/for_instruction_set.hpp"
#include "kernels/dp_table/bounded/cpu/sweep.hpp"
#include "kernels/dp_table/bounded/kernels.hpp"
#include "kernels/dp_table/bounded/visit.hpp"
#include "kernels/dp_table/bounded/walk.hpp"
#include "kernels/dp_table/cpu/part.hpp"
#include "kernels/dp_table/measured.hpp"
#include "kernels/dp_table/visit.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::dp_table {
namespace {

using device::InstructionSet;

BoundedFunction bounded_function(InstructionSet set, const BoundedTable& table) {
  return device::for_instruction_set(set, sse2::bounded_function, avx2::bounded_function, avx512::bounded_function)(
      table.table.combine, table.stored);
}

LargestFunction largest_function(InstructionSet set, const BoundedTable& table) {
  return device::for_instruction_set(set, sse2::largest_function, avx2::largest_function, avx512::largest_function)(
      table.table.combine, table.stored);
}

template <class T>
void set_value(T value, i64& whole, double& real) {
  if constexpr (std::is_floating_point_v<T>) real = value;
  else whole = static_cast<i64>(+value);
}

class BoundedOnCpu final : public device::CpuBlocks<BoundedTask, BoundedResult> {
  using Blocks = device::CpuBlocks<BoundedTask, BoundedResult>;

 public:
  BoundedOnCpu(const BoundedTable& table, device::CpuContext& context, InstructionSet set)
      : Blocks(context.pool()),
        table_(table),
        element_(static_cast<i64>(size_of(table.stored))),
        function_(bounded_function(set, table)),
        first_largest_(table.table.combine == Combine::max ? largest_function(set, table) : nullptr) {}

 private:
  BoundedResult compute(const BoundedTask& task) override {
    BoundedResult result{};
    result.best_cell = result.overflow_pass = result.overflow = -1;
    switch (static_cast<BoundedWork>(task.work)) {
      case BoundedWork::begin:
        begin(task);
        break;
      case BoundedWork::passes:
        take(task, result);
        break;
      case BoundedWork::table:
        make_table(task);
        break;
      case BoundedWork::walk:
        walk_passes(table_.passes.data(), table_.packed(), task, result);
        return result;
      case BoundedWork::save:
        copy(task.saved, task.elements, task.end - task.first);
        return result;
      case BoundedWork::restore:
        copy(task.elements, task.saved, task.end - task.first);
        return result;
    }
    if (task.is_last != 0) find_values(task, result);
    return result;
  }

  i64 pieces_of(i64 elements) const {
    return std::clamp<i64>(elements / measured::CpuParts::most_cells, 1, i64{4} * threads());
  }

  void begin(const BoundedTask& task) {
    visit_bounded(table_.table.combine, table_.stored, [&](auto rule) {
      using Rule = decltype(rule);
      using T = std::conditional_t<std::is_same_v<Rule, Reached>, u64, typename Rule::Value>;
      auto* elements = static_cast<T*>(task.elements);
      const i64 count = task.end - task.first, pieces = pieces_of(count);
      in_turn(pieces, [&](i64 piece, int) {
        std::fill(elements + count * piece / pieces, elements + count * (piece + 1) / pieces, Rule::unreached());
      });
      if (task.first == 0) elements[0] = static_cast<T>(Rule::origin(table_.table.modulus));
    });
  }

  void copy(void* to, const void* from, i64 count) {
    const i64 pieces = pieces_of(count);
    in_turn(pieces, [&](i64 piece, int) {
      const i64 begin = count * piece / pieces * element_, end = count * (piece + 1) / pieces * element_;
      std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                  static_cast<std::size_t>(end - begin));
    });
  }

  void take(const BoundedTask& task, BoundedResult& result) {
    const auto below_bytes = static_cast<std::size_t>((task.below_end - task.below_first) * element_);
    below_.resize(below_bytes);
    if (below_bytes > 0) std::memcpy(below_.data(), task.below, below_bytes);
    PassSweep sweep(table_, task, below_.data(), function_, threads());
    copies_.resize(static_cast<std::size_t>(threads()));
    in_turn(sweep.tickets(), [&](i64 ticket, int thread) {
      std::vector<std::byte>& copy = copies_[static_cast<std::size_t>(thread)];
      if (copy.size() < sweep.copy_bytes()) copy.resize(sweep.copy_bytes());
      sweep.work(ticket, copy.data(), [&] { return aborted(); });
    });
    const FirstOverflow overflow = sweep.overflow();
    result.overflow_pass = overflow.pass;
    result.overflow = overflow.element;
  }

  /// The value of the last cell, if it is the block's, and the best of the block's cells.
  void find_values(const BoundedTask& task, BoundedResult& result) {
    const i64 count = task.end - task.first;
    if (table_.table.combine == Combine::any) {
      const i64 last = (table_.line - 1) % 64;
      result.last = static_cast<i64>(static_cast<const u64*>(task.elements)[count - 1] >> last & 1);
      return;
    }
    dispatch(table_.stored, [&](auto zero) {
      using T = decltype(zero);
      const auto* elements = static_cast<const T*>(task.elements);
      set_value(elements[count - 1], result.last, result.last_real);
      if (first_largest_ == nullptr) return;
      const i64 best = best_of(elements, count);
      set_value(elements[best], result.best, result.best_real);
      result.best_cell = task.first + best;
    });
  }

  /// The first of the largest elements, each thread its piece.
  template <class T>
  i64 best_of(const T* elements, i64 count) {
    const i64 pieces = pieces_of(count);
    std::vector<i64> firsts(static_cast<std::size_t>(pieces), 0);
    in_turn(pieces, [&](i64 piece, int) {
      const i64 begin = count * piece / pieces, end = count * (piece + 1) / pieces;
      firsts[static_cast<std::size_t>(piece)] = begin + first_largest_(elements + begin, end - begin);
    });
    return *std::max_element(firsts.begin(), firsts.end(), [&](i64 a, i64 b) { return elements[a] < elements[b]; });
  }

  void make_table(const BoundedTask& task) {
    const i64 count = task.end_cell - task.first_cell, pieces = pieces_of(count);
    in_turn(pieces, [&](i64 piece, int) {
      make_cells(task, task.first_cell + count * piece / pieces, task.first_cell + count * (piece + 1) / pieces);
    });
  }
  void make_cells(const BoundedTask& task, i64 begin, i64 end) const {
    if (table_.table.combine == Combine::any) {
      const auto* words = static_cast<const u64*>(task.elements);
      for (i64 cell = begin; cell < end; ++cell) {
        const i64 bit = table_.bit_of(cell);
        static_cast<u8*>(task.table)[cell - task.first_cell] =
            static_cast<u8>(words[bit / 64 - task.first] >> (bit % 64) & 1);
      }
      return;
    }
    visit_rule(table_.table.combine, table_.table.type, [&](auto rule) {
      using Rule = decltype(rule);
      using T = typename Rule::Value;
      visit_bounded(table_.table.combine, table_.stored, [&](auto stored) {
        using Stored = decltype(stored);
        const auto* elements = static_cast<const typename Stored::Value*>(task.elements);
        for (i64 cell = begin; cell < end; ++cell) {
          static_cast<T*>(task.table)[cell - task.first_cell] =
              value_of_element(elements[cell - task.first], Stored::unreached(), Rule::unreached());
        }
      });
    });
  }

  const BoundedTable& table_;
  i64 element_;  // bytes
  BoundedFunction function_;
  LargestFunction first_largest_;  // null: no best cell is looked for
  std::vector<std::byte> below_;
  std::vector<std::vector<std::byte>> copies_;  // of threads
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_bounded_cpu(const BoundedTable& table, device::Context& context,
                                                      InstructionSet set) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_bounded_cpu", context.limits().name + " is not a CPU");
  return std::make_unique<BoundedOnCpu>(table, *cpu, set);
}

std::unique_ptr<device::BlockKernel> make_bounded_cpu(const BoundedTable& table, device::Context& context) {
  const auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  return make_bounded_cpu(table, context, cpu == nullptr ? InstructionSet::sse2 : cpu->instruction_set());
}

}  // namespace terrace::dp_table
