// The CPU sweep of a box, for the borders that are kept inside it.
#include <vector>

#include "kernels/launch/cpu_launch.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/rules/kept_blocks.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {
namespace {

/// Sweeps the pieces of a box as blocks of one launch, with their borders if they are kept.
class CpuBoxSweep : public device::BlockKernel {
 public:
  CpuBoxSweep(const SweepSpec& spec, device::Context& context, const BorderLayout& layout)
      : spec_(spec), context_(context), layout_(layout) {}

  void run(const device::Port& port) override {
    device::compute_in_order<TraceTask, BlockResult>(
        port, [&](const TraceTask& task, BlockResult&) { return sweep(port, task); });
  }

 private:
  bool sweep(const device::Port& outer, const TraceTask& task) {
    const BlockGrid pieces{task.row_end - task.row_begin, task.column_end - task.column_begin, task.cell_rows,
                           task.cell_columns};
    std::vector<BlockTask> tasks;
    for (i64 i = 0; i < pieces.down(); ++i) {
      for (i64 j = 0; j < pieces.across(); ++j) tasks.push_back(piece_of(task, i, j));
    }
    std::vector<BlockResult> results(tasks.size());
    const device::u64 count = tasks.size();
    device::u64 ready = count, stop = 0, done = 0, failed = 0;
    // An abort of the launch also aborts the box in flight.
    make_cpu_sweep(spec_, pieces, context_, device::best_instruction_set(), form_of(spec_))
        ->run({&ready, &stop, outer.abort, &done, &failed, outer.skipped, tasks.data(), results.data(), count,
               sizeof(BlockTask), sizeof(BlockResult), 0, count});
    return done == count;
  }

  BlockTask piece_of(const TraceTask& box, i64 i, i64 j) const {
    const i64 row = i * box.cell_rows, column = j * box.cell_columns;
    BlockTask piece{};
    piece.row_begin = box.row_begin + row;
    piece.row_end = std::min(box.row_end, piece.row_begin + box.cell_rows);
    piece.column_begin = box.column_begin + column;
    piece.column_end = std::min(box.column_end, piece.column_begin + box.cell_columns);
    const auto item = static_cast<i64>(layout_.item_bytes);
    piece.rows = static_cast<const std::byte*>(box.rows) + row * item;
    piece.columns = static_cast<const std::byte*>(box.columns) + column * item;
    piece.top = at(border_above(box, {piece.row_begin, piece.column_begin}));
    piece.left = at(border_before(box, {piece.row_begin, piece.column_begin}));
    // The borders that the pieces below and to the right begin with.
    if (piece.row_end < box.row_end) piece.bottom = at(border_above(box, {piece.row_end, piece.column_begin}));
    if (piece.column_end < box.column_end) piece.right = at(border_before(box, {piece.row_begin, piece.column_end}));
    piece.row_border_stride = box.row_border_stride;
    piece.column_border_stride = box.column_border_stride;
    return piece;
  }

  void* at(const BorderPlace& place) const {
    if (place.base == nullptr) return nullptr;
    const auto* base = static_cast<const std::byte*>(place.base);
    return const_cast<std::byte*>(base + place.offset * static_cast<i64>(size_of(layout_.type)));
  }

  SweepSpec spec_;
  device::Context& context_;
  BorderLayout layout_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_cpu_box_sweep(const SweepSpec& spec, device::Context& context) {
  BorderLayout layout{spec.border, 1, 1, 1};
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if (P::items == Items::values) layout.item_bytes = size_of(spec.value);
  });
  return std::make_unique<CpuBoxSweep>(spec, context, layout);
}

}  // namespace terrace::wavefront
