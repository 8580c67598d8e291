// Blocks of tables whose steps are bounded, on CUDA, by one rule. Included by the sources that the build makes from
// cuda/bounded.cu.in.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/dp_table/bounded/cuda/bounded.hpp"
#include "kernels/dp_table/bounded/cuda/cell_kernel.cuh"
#include "kernels/dp_table/bounded/cuda/pass_kernel.cuh"
#include "kernels/dp_table/cuda/largest_kernel.cuh"
#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"

namespace terrace::dp_table {

template <class Rule>
class BoundedOnCuda final : public device::CudaBlocks<BoundedTask, BoundedResult> {
  using Blocks = device::CudaBlocks<BoundedTask, BoundedResult>;
  using V = typename PassRule<Rule>::Value;
  static constexpr bool finds_largest = Rule::finds_largest;

 public:
  BoundedOnCuda(const BoundedSpec& spec, device::Context& context, void* workspace)
      : Blocks("tables", context),
        table_(spec.table),
        shared_bytes_(bounded_shared_bytes(context.limits())),
        base_(static_cast<unsigned char*>(workspace)) {
    const BoundedPlaces places(spec);
    passes_ = reinterpret_cast<BoundedPass*>(base_ + places.passes);
    for (int k = 0; k < 2; ++k) buffers_[k] = reinterpret_cast<V*>(base_ + places.buffers[k]);
    if (!table_.passes.empty()) {
      TERRACE_CUDA_CHECK(cudaMemcpyAsync(passes_, table_.passes.data(), table_.passes.size() * sizeof(BoundedPass),
                                         cudaMemcpyHostToDevice, stream()));
      TERRACE_CUDA_CHECK(cudaStreamSynchronize(stream()));
    }
    load(begin_block_, begin_threads);
    load(begin_elements_, bounded_threads);
    load(copy_, bounded_threads);
    load(take_passes_, bounded_threads, shared_bytes_);
    load(take_pass_, bounded_threads);
    load(make_cells_, bounded_threads);
    load(walk_, 1);
    load(report_, 1);
    if constexpr (finds_largest) {
      load(find_largest_, largest_threads);
      load(find_first_, largest_threads);
    }
  }

 private:
  /// Passes that a launch takes.
  struct Group {
    i64 first, end;
    i64 reach;
    bool is_alone;
  };

  bool submit(const device::Port& port, u64 block, const BoundedTask& task) override {
    device::launch(begin_block_, shape(1, begin_threads), port, state(), static_cast<u64*>(nullptr), u64{0}, block);
    switch (static_cast<BoundedWork>(task.work)) {
      case BoundedWork::begin:
        device::launch(begin_elements_, over(task.end - task.first), state(), static_cast<V*>(task.elements),
                       task.end - task.first, static_cast<i64>(task.first == 0), table_.table.modulus);
        break;
      case BoundedWork::passes:
        take(task);
        break;
      case BoundedWork::table:
        device::launch(make_cells_, over(task.end_cell - task.first_cell), state(), cells_of_task(task));
        break;
      case BoundedWork::walk:
        device::launch(walk_, shape(1, 1), port, state(), passes_, table_.packed(), task, block);
        return true;
      case BoundedWork::save:
        copy(static_cast<V*>(task.saved), task.elements, task.end - task.first);
        break;
      case BoundedWork::restore:
        copy(static_cast<V*>(task.elements), task.saved, task.end - task.first);
        break;
    }
    report(port, block, task);
    return true;
  }

  void report(const device::Port& port, u64 block, const BoundedTask& task) {
    const auto* elements = static_cast<const V*>(task.elements);
    if constexpr (finds_largest) {
      if (task.is_last != 0) {
        const i64 count = task.end - task.first;
        device::launch(find_largest_, over(count, largest_threads), state(), elements, count);
        device::launch(find_first_, over(count, largest_threads), state(), elements, count);
      }
    }
    device::launch(report_, shape(1, 1), port, state(), block, elements, task, (table_.line - 1) % 64);
  }

  CellsWork cells_of_task(const BoundedTask& task) const {
    CellsWork work{};
    work.elements = task.elements;
    work.cells = task.table;
    work.first_element = task.first;
    work.first_cell = task.first_cell;
    work.count = task.end_cell - task.first_cell;
    work.line = table_.line;
    work.words = table_.words;
    work.bytes = static_cast<i64>(size_of(table_.table.type));
    work.unreached = unreached_value(table_.table);
    return work;
  }

  /// The elements go from buffer to buffer; the last passes write the block's own.
  void take(const BoundedTask& task) {
    const std::vector<Group> groups = groups_of(task);
    // One pass may read elements that lie far before the block's, with others between that are not there.
    const bool is_far = task.below_end < task.first;
    const i64 before = task.first - task.below_first;
    if (!is_far) copy(buffers_[0], task.below, before);
    copy(buffers_[0] + (is_far ? 0 : before), task.elements, task.end - task.first);
    for (std::size_t number = 0; number < groups.size(); ++number) {
      const Group& group = groups[number];
      const bool is_last = number + 1 == groups.size();
      PassesWork work{};
      work.from = buffers_[number % 2] - (is_far ? before : 0);
      work.below = is_far ? task.below : work.from;
      work.to = is_last ? static_cast<V*>(task.elements) - before : buffers_[1 - number % 2];
      work.first = task.below_first;
      work.own = task.first;
      work.end = task.end;
      work.passes = passes_;
      work.first_pass = group.first;
      work.end_pass = group.end;
      work.modulus = table_.table.modulus;
      work.key_pass = group.first - task.first_pass;
      work.taken_stride = task.taken_stride;
      work.taken_first = task.taken_first;
      if (task.taken != nullptr) work.taken = task.taken + work.key_pass * task.taken_stride;
      launch(group, is_last, work);
    }
  }

  void launch(const Group& group, bool is_last, PassesWork& work) {
    work.reach = group.is_alone ? 0 : group.reach;
    work.length = group.is_alone ? 64 : capacity() - group.reach;
    // The elements before the block's are needed by later passes alone.
    work.segments = is_last ? 0 : (work.own - work.first + work.length - 1) / work.length;
    const i64 segments = work.segments + (work.end - work.own + work.length - 1) / work.length;
    if (group.is_alone) {
      device::launch(take_pass_, over(segments * work.length), state(), work);
    } else {
      device::launch(take_passes_, shape(segments, bounded_threads, shared_bytes_), state(), work);
    }
  }

  /// Elements that shared memory holds twice: whole words of cells.
  i64 capacity() const { return static_cast<i64>(shared_bytes_ / (2 * sizeof(V))) / 64 * 64; }

  std::vector<Group> groups_of(const BoundedTask& task) const {
    const i64 most = capacity() / 4 / 64 * 64;
    std::vector<Group> groups;
    i64 reach = 0;
    for (i64 pass = task.first_pass; pass < task.end_pass; ++pass) {
      const i64 each = table_.passes[static_cast<std::size_t>(pass)].reach;
      const bool is_alone = each > most || task.below_end < task.first;
      if (groups.empty() || is_alone || groups.back().is_alone || reach + each > most) {
        groups.push_back({pass, pass, 0, is_alone});
        reach = 0;
      }
      reach += each;
      groups.back().end = pass + 1;
      groups.back().reach = (reach + 63) / 64 * 64;
    }
    return groups;
  }

  void copy(V* to, const void* from, i64 count) {
    if (count == 0) return;
    device::launch(copy_, over(count), state(), to, static_cast<const V*>(from), count);
  }

  device::LaunchShape over(i64 count, u32 threads = bounded_threads) const {
    return shape(std::clamp<i64>((count + threads - 1) / threads, 1, most_blocks), threads);
  }
  TableState* state() const { return reinterpret_cast<TableState*>(base_); }

  static constexpr i64 most_blocks = 1 << 14;

  template <class R>
  static device::Kernel<TableState*, const V*, i64> largest_kernel(R, bool first) {
    if constexpr (!finds_largest) return {};
    else if (first) return device::make_kernel(find_first_kernel<R>, "find_first_kernel");
    else return device::make_kernel(find_largest_kernel<R>, "find_largest_kernel");
  }

  device::Kernel<device::Port, TableState*, u64*, u64, u64> begin_block_ =
      device::make_kernel(begin_block_kernel<Rule>, "begin_block_kernel");
  device::Kernel<const TableState*, V*, i64, i64, i64> begin_elements_ =
      device::make_kernel(begin_elements_kernel<Rule>, "begin_elements_kernel");
  device::Kernel<const TableState*, V*, const V*, i64> copy_ =
      device::make_kernel(copy_elements_kernel<Rule>, "copy_elements_kernel");
  device::Kernel<TableState*, PassesWork> take_passes_ =
      device::make_kernel(take_passes_kernel<Rule>, "take_passes_kernel");
  device::Kernel<TableState*, PassesWork> take_pass_ =
      device::make_kernel(take_pass_kernel<Rule>, "take_pass_kernel");
  device::Kernel<const TableState*, CellsWork> make_cells_ =
      device::make_kernel(make_cells_kernel<Rule>, "make_cells_kernel");
  device::Kernel<device::Port, const TableState*, const BoundedPass*, i64, BoundedTask, u64> walk_ =
      device::make_kernel(walk_passes_kernel<Rule>, "walk_passes_kernel");
  device::Kernel<device::Port, const TableState*, u64, const V*, BoundedTask, i64> report_ =
      device::make_kernel(report_bounded_kernel<Rule>, "report_bounded_kernel");
  device::Kernel<TableState*, const V*, i64> find_largest_ = largest_kernel(Rule{}, false),
                                             find_first_ = largest_kernel(Rule{}, true);

  const BoundedTable& table_;
  std::size_t shared_bytes_;
  unsigned char* base_;
  BoundedPass* passes_;
  V* buffers_[2];
};

template <class Rule>
std::unique_ptr<device::BlockKernel> make_bounded_of(const BoundedSpec& spec, device::Context& context,
                                                     void* workspace) {
  return std::make_unique<BoundedOnCuda<Rule>>(spec, context, workspace);
}

}  // namespace terrace::dp_table
