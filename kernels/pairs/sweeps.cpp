#include "kernels/pairs/sweeps.hpp"

#include <algorithm>
#include <span>

#include "kernels/device/cpu_context.hpp"
#include "kernels/launch/cpu_launch.hpp"
#include "kernels/launch/one_block.hpp"
#include "kernels/wavefront/greedy_score.hpp"
#include "kernels/wavefront/methods.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::pairs {
namespace {

using wavefront::BlockResult;

class SweepsOnCpu final : public device::BlockKernel {
 public:
  SweepsOnCpu(const PairsSpec& spec, device::Context& context)
      : spec_(spec), problem_(description_of(spec)), context_(context) {}

  void run(const device::Port& port) override {
    device::compute_in_order<SweepsTask, PairsResult>(
        port, [&](const SweepsTask& task, PairsResult& result) { return compute(task, result, *port.abort); });
  }

 private:
  bool compute(const SweepsTask& task, PairsResult& result, device::u64& abort) const {
    result = {};
    const SweptScores scores = swept_scores(spec_, task);
    for (i64 number = 0; const SweptPair& pair : task.listed->pairs) {
      bool swept = true;
      BlockResult found = report_before(*problem_, pair, swept);
      if (swept && !sweep(pair, abort, found)) return false;
      write_swept(scores, number++, found);
    }
    task.listed->ended = true;
    return true;
  }

  static std::span<const u8> letters(const void* of, i64 count) {
    return {static_cast<const u8*>(of), static_cast<std::size_t>(count)};
  }

  bool sweep(const SweptPair& pair, device::u64& abort, BlockResult& found) const {
    wavefront::SweepSpec sweep = sweep_of(spec_, pair.row_count, pair.column_count, device::Backend::cpu);
    // Cells that cannot reach a score that is there are left out.
    if (problem_->greedy) {
      sweep.known = wavefront::greedy_score(*problem_, letters(pair.rows, pair.row_count),
                                            letters(pair.columns, pair.column_count));
    }
    const auto kernel = wavefront::make_sweep(sweep, context_, nullptr);
    BlockResult table{};
    if (!device::compute_one(*kernel, whole_table(pair), table, abort)) return false;
    wavefront::add_report(problem_->items, problem_->report, table, true, found);
    return true;
  }

  PairsSpec spec_;
  std::shared_ptr<const Description> problem_;
  device::Context& context_;
};

}  // namespace

wavefront::SweepSpec sweep_of(const PairsSpec& spec, i64 rows, i64 columns, device::Backend backend) {
  wavefront::SweepSpec sweep;
  sweep.problem = spec.problem;
  sweep.settings = spec.settings;
  sweep.description = description_of(spec);
  sweep.rows = rows;
  sweep.columns = columns;
  sweep.block_rows = std::max<i64>(1, rows);
  sweep.block_columns = std::max<i64>(1, columns);
  sweep.schedule = *wavefront::schedule_from("auto");
  // Cells of the CPU are as narrow as they can be; those of CUDA have 32 bits, or two are in a word of so many.
  const bool narrows = backend == device::Backend::cpu && !is_floating(spec.value);
  sweep.value = narrows ? wavefront::narrowest_value(*sweep.description, rows, columns) : spec.value;
  sweep.border = sweep.value == ElementType::i16 ? ElementType::i32 : sweep.value;
  return sweep;
}

wavefront::BlockTask whole_table(const SweptPair& pair) {
  wavefront::BlockTask task{};
  task.row_end = pair.row_count;
  task.column_end = pair.column_count;
  task.rows = pair.rows;
  task.columns = pair.columns;
  return task;
}

BlockResult report_before(const Description& problem, const SweptPair& pair, bool& swept) {
  const i64 rows = pair.row_count, columns = pair.column_count;
  swept = rows > 0 && columns > 0 && wavefront::in_window(problem.window, rows, columns);
  if (!swept && problem.items == wavefront::Items::values) {
    return {wavefront::reported(wavefront::infinity), rows, columns};
  }
  return wavefront::border_report(problem, rows, columns);
}

SweptScores swept_scores(const PairsSpec& spec, const SweepsTask& task) {
  SweptScores to{task.scores, task.ends, SweptValue::letters32, spec.at_most.value_or(wavefront::infinity), 0};
  if (is_floating(spec.value)) {
    to.value = spec.value == ElementType::f32 ? SweptValue::values32 : SweptValue::values64;
  } else {
    if (spec.value == ElementType::i64) to.value = SweptValue::letters64;
    if (spec.at_most) to.missed = static_cast<i64>(missed_distance(spec));
  }
  return to;
}

std::unique_ptr<device::BlockKernel> make_sweeps(const PairsSpec& spec, device::Context& context, void*) {
  if (!context.shares_host_memory()) throw DeviceError("swept pairs", context.limits().name + " is not a CPU");
  return std::make_unique<SweepsOnCpu>(spec, context);
}

std::size_t sweeps_bytes(const PairsSpec& spec, int threads) {
  // A table is one block, and takes the more the larger it is.
  const auto largest = sweep_of(spec, spec.longest_row, spec.longest_column, device::Backend::cpu);
  return wavefront::cpu_workspace_bytes(largest, threads);
}

std::string unfit_for_sweeps(const PairsSpec& spec) {
  if (std::string fault = fault_of(spec); !fault.empty()) return fault;
  if (std::max(spec.longest_row, spec.longest_column) > most_lane_elements) return "";
  return "no item has more than 65,535 elements: lanes take all of them";
}

}  // namespace terrace::pairs
