// Makes blocks of nests by the kernel of tables of two sequences. Included by the source that the build makes from
// cuda/bands.cu.in.
//
// A block of the nest is a block of such a table: the borders that blocks hand on as words are its borders of i64 or
// f64, without a change. The kernel knows a launch by a port; here it is memory of the device, filled from the
// block's.
#pragma once

#include <algorithm>

#include "kernels/device/cuda_context.hpp"
#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/nest/cuda/bands.hpp"
#include "kernels/nest/cuda/block.cuh"
#include "kernels/values/stored.cuh"
#include "kernels/wavefront/task.hpp"
#include "kernels/wavefront/written.hpp"

namespace terrace::nest {

/// The port of the sweep of one block, in memory of the device.
struct BandsPort {
  u64 ready, stop, done, failed, skipped;
  wavefront::BlockTask task;
  wavefront::BlockResult result;
};

/// A block, where it is made.
struct BandsBlock {
  wavefront::BlockTask task;
  i64 last_row, first_column, end_column;  // subscripts of elements: the block's last row, and its columns
  int has_corner;                          // the block has the table's last element
  values::Stored type;                     // of elements in parts
  const Word* bottom;                      // the block's last row, after a word for its corner
};

/// One thread: the port of a sweep that begins if the block has begun.
__global__ void prepare_bands_kernel(const NestState* state, BandsBlock block, BandsPort* port) {
  *port = {state->begun != 0 ? u64{1} : u64{0}, state->begun != 0 ? u64{0} : u64{1}, 0, 0, 0, block.task, {}};
}

/// Any threads: stores the parts of the last row, and the corner.
__global__ void finish_bands_kernel(NestState* state, BandsBlock block, const BandsPort* port) {
  if (state->begun == 0) return;
  const i64 lane = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x,
            lanes = static_cast<i64>(gridDim.x) * blockDim.x;
  if (port->done == 0) {
    if (lane == 0) state->aborted = 1;
    return;
  }
  const Word* row = block.bottom + 1;
  for (int n = 0; n < state->task.part_count; ++n) {
    const Part& part = state->task.parts[n];
    if (block.last_row < part.begin[0] || block.last_row >= part.end[0]) continue;
    const i64 first = (block.last_row - part.begin[0]) * part.stride[0],
              begin = values::larger(part.begin[1], block.first_column),
              end = values::smaller(part.end[1], block.end_column);
    values::dispatch_stored(block.type, [&]<class T>(T) {
      auto* data = static_cast<T*>(part.data) + first;
      for (i64 j = begin + lane; j < end; j += lanes)
        data[(j - part.begin[1]) * part.stride[1]] = from_word<T>(row[j - block.first_column]);
    });
  }
  if (lane != 0 || block.has_corner == 0) return;
  state->result.corner[0] = row[block.end_column - block.first_column - 1];
  state->result.has_corner[0] = 1;
}

class BandsOnCuda final : public device::CudaBlocks<NestTask, NestResult> {
  using Blocks = device::CudaBlocks<NestTask, NestResult>;

 public:
  BandsOnCuda(const NestSpec& spec, device::Context& context, void* workspace)
      : Blocks("nest", context),
        table_(pair_table(spec)),
        array_(spec.nest->arrays.front()),
        space_(Sweep(spec).space()),
        offset_(spec.nest->statements.front().offset),
        keeps_corner_(spec.kept.front().corner),
        memory_(spec),
        begin_(device::make_kernel(begin_nest_kernel<void>, "begin_nest_kernel")),
        prepare_(device::make_kernel(prepare_bands_kernel, "prepare_bands_kernel")),
        finish_(device::make_kernel(finish_bands_kernel, "finish_bands_kernel")),
        report_(device::make_kernel(report_nest_kernel<void>, "report_nest_kernel")),
        workspace_(static_cast<unsigned char*>(workspace)) {
    static_assert(sizeof(BandsPort) <= 1024);
    sweep_ = wavefront::make_written_cuda({table_.problem, table_.has_values, memory_.rows, memory_.columns}, context,
                                          workspace_ + memory_.sweep_at);
    load(begin_, begin_threads);
    load(prepare_, 1);
    load(finish_, rest_threads);
    load(report_, begin_threads);
  }

 private:
  bool submit(const device::Port& port, u64 block, const NestTask& task) override {
    auto* state = reinterpret_cast<NestState*>(workspace_);
    auto* own = reinterpret_cast<BandsPort*>(workspace_ + memory_.port_at);
    const BandsBlock work = block_of(task);
    device::launch(begin_, shape(1, begin_threads), port, state, block);
    // A block may hand on in the place of words that it reads, so it reads a copy of them.
    copy(workspace_ + memory_.top_at, task.before[0], task.end[1] - task.begin[1]);
    copy(workspace_ + memory_.left_at, task.before[1], task.end[0] - task.begin[0]);
    device::launch(prepare_, shape(1, 1), static_cast<const NestState*>(state), work, own);
    sweep_->run({&own->ready, &own->stop, port.abort, &own->done, &own->failed, &own->skipped, &own->task,
                 &own->result, 1, sizeof own->task, sizeof own->result, 0, 1});
    device::launch(finish_, shape(64, rest_threads), state, work, static_cast<const BandsPort*>(own));
    device::launch(report_, shape(1, begin_threads), port, static_cast<const NestState*>(state), block);
    return true;
  }

  /// A face of a block: a word for the corner, then `cells`.
  void copy(unsigned char* to, const Word* from, i64 cells) const {
    if (from == nullptr) return;
    TERRACE_CUDA_CHECK(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(cells + 1) * sizeof(Word), cudaMemcpyDefault, stream()));
  }

  const void* item(const NestTask& task, const PairItem& item, std::size_t coordinate) const {
    const InputView& view = task.inputs[item.input];
    const i64 index = task.begin[coordinate] + item.offset - view.begin[0];
    return static_cast<const char*>(view.data) + index * (table_.has_values ? 4 : 1);
  }

  BandsBlock block_of(const NestTask& task) const {
    BandsBlock work{};
    wavefront::BlockTask& made = work.task;
    made.row_begin = task.begin[0] - space_[0].begin;
    made.row_end = task.end[0] - space_[0].begin;
    made.column_begin = task.begin[1] - space_[1].begin;
    made.column_end = task.end[1] - space_[1].begin;
    made.rows = item(task, table_.row, 0);
    made.columns = item(task, table_.column, 1);
    if (task.before[0] != nullptr) made.top = words(memory_.top_at) + 1;
    if (task.before[1] != nullptr) made.left = words(memory_.left_at);
    Word* bottom = task.after[0] != nullptr ? task.after[0] : words(memory_.bottom_at);
    made.bottom = bottom + 1;
    made.right = task.after[1];
    work.bottom = bottom;
    work.last_row = task.end[0] - 1 + offset_[0];
    work.first_column = task.begin[1] + offset_[1];
    work.end_column = task.end[1] + offset_[1];
    work.has_corner = keeps_corner_ && task.end[0] == space_[0].end && task.end[1] == space_[1].end ? 1 : 0;
    work.type = static_cast<values::Stored>(array_.type);
    return work;
  }
  Word* words(std::size_t at) const { return reinterpret_cast<Word*>(workspace_ + at); }

  PairTable table_;
  Array array_;
  Ranges space_;
  std::vector<i64> offset_;  // of elements from iterations
  bool keeps_corner_;
  BandsMemory memory_;
  device::Kernel<device::Port, NestState*, u64> begin_;
  device::Kernel<const NestState*, BandsBlock, BandsPort*> prepare_;
  device::Kernel<NestState*, BandsBlock, const BandsPort*> finish_;
  device::Kernel<device::Port, const NestState*, u64> report_;
  unsigned char* workspace_;
  std::unique_ptr<device::BlockKernel> sweep_;
};

std::unique_ptr<device::BlockKernel> make_bands_cuda(const NestSpec& spec, device::Context& context,
                                                     void* workspace) {
  return std::make_unique<BandsOnCuda>(spec, context, workspace);
}

}  // namespace terrace::nest
