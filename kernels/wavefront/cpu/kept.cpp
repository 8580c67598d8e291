// The CPU sweep that keeps rows and columns of the table, in blocks cut into parts between these.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "kernels/launch/cpu_launch.hpp"
#include "kernels/wavefront/cpu/borders.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/rules/kept_blocks.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {
namespace {

/// Stores pieces of borders as a table would store them: beyond the window, where borders are not written, infinite.
class LineStore {
 public:
  LineStore(const SweepSpec& spec, ElementType kept, i64 window)
      : border_(spec.border),
        kept_(kept),
        scale_(static_cast<double>(description_of(spec)->scale)),
        window_(window) {}

  /// `count` values of a border, of cells of line `line` from `begin` on, to element `to` of a kept line and
  /// following.
  void store(const std::byte* border, i64 line, i64 begin, i64 count, void* kept, i64 to) const {
    const i64 first = std::clamp(line - window_ - begin, i64(0), count);
    const i64 last = std::clamp(line + window_ + 1 - begin, first, count);
    if (is_floating(border_)) store_as<double>(border, first, last, count, kept, to);
    else store_as<i64>(border, first, last, count, kept, to);
  }

 private:
  /// Values [first, last) lie in the window. @tparam Exact holds every value of a border's type
  template <class Exact>
  void store_as(const std::byte* border, i64 first, i64 last, i64 count, void* kept, i64 offset) const {
    std::array<Exact, 512> values;
    dispatch(kept_, [&](auto sample) {
      using Stored = decltype(sample);
      auto* to = static_cast<Stored*>(kept) + offset;
      std::fill_n(to, first, static_cast<Stored>(infinity));
      for (i64 at = first; at < last; at += static_cast<i64>(values.size())) {
        const i64 piece = std::min(static_cast<i64>(values.size()), last - at);
        read_border(border_, border, at, piece, values.data());
        for (i64 i = 0; i < piece; ++i)
          to[at + i] = stored_value<Stored>(values[static_cast<std::size_t>(i)], scale_);
      }
      std::fill(to + last, to + count, static_cast<Stored>(infinity));
    });
  }

  ElementType border_, kept_;
  double scale_;
  i64 window_;
};

void check_kept(const SweepSpec& spec) {
  const ElementType kept = spec.kept->type;
  const bool divides = is_floating(kept) && !is_floating(spec.value);
  if (divides || holds_values(kept, spec.border)) return;
  throw DeviceError("make_cpu_sweep", "kept rows of type " + std::string(name_of(kept)) +
                                          " cannot hold borders of type " + std::string(name_of(spec.border)));
}

class CpuKeptSweep : public device::BlockKernel {
 public:
  CpuKeptSweep(const SweepSpec& spec, device::Context& context, device::InstructionSet set,
               const BorderLayout& layout, i64 window)
      : spec_(spec),
        kept_(*spec.kept),
        context_(context),
        set_(set),
        store_(spec, kept_.type, window),
        borders_(layout, parts_of(std::clamp<i64>(spec.rows, 1, spec.block_rows),
                                  std::clamp<i64>(spec.columns, 1, spec.block_columns))) {}

  void run(const device::Port& port) override {
    device::compute_in_order<KeptTask, BlockResult>(
        port, [&](const KeptTask& task, BlockResult& result) { return sweep(port, task, result); });
  }

 private:
  /// A block of that size cut between the lines that are kept in it.
  BlockGrid parts_of(i64 rows, i64 columns) const {
    return {rows, columns, std::min<i64>(rows, kept_.every), std::min<i64>(columns, kept_.every)};
  }

  bool sweep(const device::Port& port, const KeptTask& task, BlockResult& result) {
    const BlockTask& block = task.block;
    const BlockGrid parts = parts_of(block.row_end - block.row_begin, block.column_end - block.column_begin);
    borders_.begin(block, parts);
    if (!sweep_parts(port, parts)) return false;
    borders_.end();
    keep_rows(task, parts);
    keep_columns(task, parts);
    result = {0, 0, 0};
    for (const BlockResult& found : results_) add(found, result);
    return true;
  }

  /// The result of a block: the result of its last part, or the best of all.
  void add(const BlockResult& found, BlockResult& best) const {
    if (last_ || (found.row > 0 && (best.row == 0 || goes_before(found, best)))) best = found;
  }

  bool sweep_parts(const device::Port& outer, const BlockGrid& parts) {
    const auto count = static_cast<device::u64>(parts.count());
    tasks_.clear();
    for (i64 i = 0; i < parts.down(); ++i) {
      for (i64 j = 0; j < parts.across(); ++j) tasks_.push_back(borders_.part(i, j));
    }
    results_.assign(tasks_.size(), BlockResult{});
    device::u64 ready = count, stop = 0, done = 0, failed = 0;
    // An abort of the launch also aborts the block in flight.
    sweep_of(parts).run({&ready, &stop, outer.abort, &done, &failed, outer.skipped, tasks_.data(), results_.data(),
                         count, sizeof(BlockTask), sizeof(BlockResult), 0, count});
    return done == count;
  }

  /// Blocks at the table's edges have a size of their own.
  device::BlockKernel& sweep_of(const BlockGrid& parts) {
    std::unique_ptr<device::BlockKernel>& sweep = sweeps_[{parts.rows, parts.columns}];
    if (!sweep) sweep = make_cpu_sweep(spec_, parts, context_, set_, form_of(spec_));
    return *sweep;
  }

  void keep_rows(const KeptTask& task, const BlockGrid& parts) const {
    i64 to = 0;
    for (i64 i = 0; i < parts.down(); ++i) {
      const i64 end = task.block.row_begin + i * parts.block_rows + parts.rows_of(i);
      if (!kept_.keeps(end, spec_.rows)) continue;
      const auto keep = [&](void* kept, int plane) {
        if (kept == nullptr) return;
        store_.store(borders_.below(i, plane), end - 1, task.block.column_begin, parts.columns, kept, to);
      };
      keep(task.rows, 0);
      keep(task.row_gaps, 1);
      to += task.row_stride;
    }
  }

  void keep_columns(const KeptTask& task, const BlockGrid& parts) const {
    i64 to = 0;
    for (i64 j = 0; j < parts.across(); ++j) {
      const i64 end = std::min(task.block.column_end, task.block.column_begin + (j + 1) * parts.block_columns);
      if (!kept_.keeps(end, spec_.columns)) continue;
      const auto keep = [&](void* kept, int plane) {
        for (i64 i = 0; i < parts.down() && kept != nullptr; ++i) {
          const i64 row = i * parts.block_rows;
          store_.store(borders_.right_of(j, plane, i), end - 1, task.block.row_begin + row, parts.rows_of(i), kept,
                       to + row);
        }
      };
      keep(task.columns, 0);
      keep(task.column_gaps, 1);
      to += task.column_stride;
    }
  }

  SweepSpec spec_;
  KeptLines kept_;
  device::Context& context_;
  device::InstructionSet set_;
  LineStore store_;
  PartBorders borders_;
  bool last_ = description_of(spec_)->report == Report::last;
  std::map<std::pair<i64, i64>, std::unique_ptr<device::BlockKernel>> sweeps_;
  std::vector<BlockTask> tasks_;
  std::vector<BlockResult> results_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_cpu_kept_sweep(const SweepSpec& spec, device::Context& context,
                                                         device::InstructionSet set) {
  check_kept(spec);
  BorderLayout layout{spec.border, 1, 1, 1};
  const auto problem = description_of(spec);
  if (problem->items == Items::values) layout.item_bytes = size_of(spec.value);
  layout.row_planes = problem->row_planes;
  layout.column_planes = problem->column_planes;
  return std::make_unique<CpuKeptSweep>(spec, context, set, layout, problem->window);
}

}  // namespace terrace::wavefront
