// Pairs with an item too long for lanes, on CUDA: kernels of one thread feed a sweep of the wavefront family and take
// its report, pair after pair in one stream. Included by the sources that the build makes from cuda/problem.cu.in.
#pragma once

#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/launch/port.cuh"
#include "kernels/pairs/cuda/sweeps.hpp"
#include "kernels/pairs/swept_score.hpp"

namespace terrace::pairs {

/// One thread: begins block `block`.
template <class P>
__global__ void begin_sweeps_kernel(device::Port port, SweepsState* state, u64 block) {
  state->begun = device::begin_next(port, block, state->begun) ? 1 : 0;
  state->aborted = 0;
}

/// One thread: the next pair's table is ready to be swept, unless the block's pairs are not.
template <class P>
__global__ void feed_sweep_kernel(SweepsState* state, const __grid_constant__ wavefront::BlockTask task) {
  state->ready = 1;
  state->stop = state->begun == 0 || state->aborted != 0 ? 1 : 0;
  state->done = state->failed = state->skipped = 0;
  state->task = task;
}

/// One thread: the pair of that number has the score that its table reports.
/// @param before the report of the table before it is swept @param swept 0: no cell of it counts
template <class P>
__global__ void take_score_kernel(SweepsState* state, const __grid_constant__ wavefront::BlockResult before,
                                  i32 swept, const __grid_constant__ SweptScores to, i64 number) {
  if (state->begun == 0 || state->aborted != 0) return;
  if (swept != 0 && state->done == 0) {
    state->aborted = 1;
    return;
  }
  wavefront::BlockResult found = before;
  if (swept != 0) wavefront::add_report(P::items, P::report, state->result, true, found);
  write_swept(to, number, found);
}

/// One thread: reports block `block`.
template <class P>
__global__ void report_sweeps_kernel(device::Port port, const SweepsState* state, u64 block) {
  if (state->begun == 0 || state->aborted != 0) return;
  *device::result_of<PairsResult>(port, block) = {0, 0};
  device::report_next(port, block);
}

template <class P>
class SweepsOnCuda final : public device::CudaBlocks<SweepsTask, PairsResult> {
 public:
  SweepsOnCuda(const PairsSpec& spec, device::Context& context, void* workspace)
      : CudaBlocks("swept pairs", context),
        spec_(spec),
        problem_(description_of(spec)),
        context_(context),
        plan_(spec, context.limits()),
        workspace_(static_cast<unsigned char*>(workspace)) {
    load(begin_, 1);
    load(feed_, 1);
    load(take_, 1);
    load(report_, 1);
    make_sweep(spec.longest_row, spec.longest_column);
  }

 private:
  SweepsState* state() const { return reinterpret_cast<SweepsState*>(workspace_ + plan_.state); }

  void make_sweep(i64 rows, i64 columns) {
    if (sweep_ && rows == rows_ && columns == columns_) return;
    const wavefront::SweepSpec sweep = sweep_of(spec_, rows, columns, device::Backend::cuda);
    if (plan_.method->workspace(sweep, context_.limits()) > plan_.sweep_bytes) {
      throw DeviceError("swept pairs", "a table of " + std::to_string(rows) + " x " + std::to_string(columns) +
                                           " cells needs more memory than was reserved");
    }
    sweep_ = plan_.method->make(sweep, context_, workspace_ + plan_.sweep);
    rows_ = rows;
    columns_ = columns;
  }

  bool submit(const device::Port& port, u64 block, const SweepsTask& task) override {
    device::launch(begin_, shape(1, 1), port, state(), block);
    const SweptScores scores = swept_scores(spec_, task);
    for (i64 number = 0; const SweptPair& pair : task.listed->pairs) {
      bool swept = true;
      const wavefront::BlockResult before = report_before(*problem_, pair, swept);
      if (swept) sweep(port, pair);
      device::launch(take_, shape(1, 1), state(), before, swept ? 1 : 0, scores, number++);
    }
    device::launch(report_, shape(1, 1), port, state(), block);
    task.listed->ended = true;
    return true;
  }

  void sweep(const device::Port& port, const SweptPair& pair) {
    make_sweep(pair.row_count, pair.column_count);
    SweepsState* at = state();
    device::launch(feed_, shape(1, 1), at, whole_table(pair));
    sweep_->run({&at->ready, &at->stop, port.abort, &at->done, &at->failed, &at->skipped, &at->task, &at->result, 1,
                 sizeof at->task, sizeof at->result, 0, 1});
  }

  device::Kernel<device::Port, SweepsState*, u64> begin_ =
      device::make_kernel(begin_sweeps_kernel<P>, "begin_sweeps_kernel");
  device::Kernel<SweepsState*, wavefront::BlockTask> feed_ =
      device::make_kernel(feed_sweep_kernel<P>, "feed_sweep_kernel");
  device::Kernel<SweepsState*, wavefront::BlockResult, i32, SweptScores, i64> take_ =
      device::make_kernel(take_score_kernel<P>, "take_score_kernel");
  device::Kernel<device::Port, const SweepsState*, u64> report_ =
      device::make_kernel(report_sweeps_kernel<P>, "report_sweeps_kernel");

  PairsSpec spec_;
  std::shared_ptr<const Description> problem_;
  device::Context& context_;
  SweepsPlan plan_;
  unsigned char* workspace_;
  std::unique_ptr<device::BlockKernel> sweep_;  // of tables of rows_ x columns_ cells
  i64 rows_ = 0, columns_ = 0;
};

template <class P>
std::unique_ptr<device::BlockKernel> CudaPairs<P>::make_sweeps(const PairsSpec& spec, device::Context& context,
                                                               void* workspace) {
  if constexpr (P::items == wavefront::Items::grid) throw DeviceError("pairs", "grids have none");
  else return std::make_unique<SweepsOnCuda<P>>(spec, context, workspace);
}

}  // namespace terrace::pairs
