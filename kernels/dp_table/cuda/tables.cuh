// Blocks of tables with many dimensions on CUDA, by one rule and type. Included by the sources that the build makes
// from cuda/tables.cu.in.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "kernels/dp_table/cuda/largest_kernel.cuh"
#include "kernels/dp_table/cuda/papers/partitioned_kernel.cuh"
#include "kernels/dp_table/cuda/passes.cuh"
#include "kernels/dp_table/cuda/plan.hpp"
#include "kernels/dp_table/cuda/tables.hpp"
#include "kernels/dp_table/cuda/tile_kernel.cuh"
#include "kernels/dp_table/cuda/walk_kernel.cuh"
#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"
#include "pipeline/base/error.hpp"

namespace terrace::dp_table {

static_assert(sizeof(TableState) <= state_bytes && sizeof(TableTask) % sizeof(u64) == 0);

template <template <class, Costs> class Rule, class T>
class TablesOnCuda final : public device::CudaBlocks<TableTask, TableResult, TableKernel> {
  using Blocks = device::CudaBlocks<TableTask, TableResult, TableKernel>;
  using Plain = Rule<T, Costs::one>;  // of which the kernels are that do not differ by costs
  static constexpr bool counts = Plain::counts;

 public:
  TablesOnCuda(device::Context& context, void* workspace, std::size_t bytes)
      : Blocks("tables", context), workspace_(static_cast<unsigned char*>(workspace)), bytes_(bytes) {
    load(begin_block_, begin_threads);
    load(report_block_, 1);
    load(copy_partitions_, partition_threads);
    if constexpr (Plain::finds_largest) {
      load(find_largest_, largest_threads);
      load(find_first_, largest_threads);
    }
    if constexpr (!counts) load(walk_, walk_threads);
  }

  void set_tables(const std::vector<Table>& tables) override {
    tables_.clear();
    i64 levels = 0;
    for (const Table& table : tables) levels = std::max<i64>(levels, tables_.emplace_back(table).plan.block_levels);
    std::size_t at = state_bytes + (static_cast<std::size_t>(levels) * sizeof(u64) + 255) / 256 * 256;
    for (Prepared& prepared : tables_) {
      prepared.base = workspace_ + at;
      at += prepared.plan.places.bytes;
    }
    if (at > bytes_) {
      throw DeviceError(
          "tables", "their lists take " + std::to_string(at) + " bytes of a workspace of " + std::to_string(bytes_));
    }
    for (Prepared& prepared : tables_) prepare(prepared);
    shared_bytes_ = 0;
    for (Prepared& prepared : tables_) {
      visit_rule(prepared, false, [&](auto rule) { set_residents(rule, prepared.layout, prepared.residents); });
      if (!counts)
        visit_rule(prepared, true, [&](auto rule) { set_residents(rule, prepared.layout, prepared.choosing); });
    }
    // The limit of a kernel's shared memory is that of the table that takes most.
    load_all(shared_bytes_);
  }

 private:
  struct Prepared {
    explicit Prepared(const Table& table) : plan(table) {}

    TablePlan plan;
    TableLayout layout{};
    unsigned char* base = nullptr;         // of the table's lists
    unsigned residents = 1, choosing = 1;  // thread blocks that run at a time, also where choices are kept
  };

  /// Brings a table's lists into the workspace.
  void prepare(Prepared& prepared) const {
    const TablePlan& plan = prepared.plan;
    const TableLists lists(plan);
    const auto bring = [&]<class U>(std::size_t place, const std::vector<U>& values) {
      if (values.empty()) return;
      TERRACE_CUDA_CHECK(cudaMemcpyAsync(prepared.base + place, values.data(), values.size() * sizeof(U),
                                         cudaMemcpyHostToDevice, stream()));
    };
    std::vector<DeviceStep> steps = plan.outer;
    steps.insert(steps.end(), plan.inner.begin(), plan.inner.end());
    bring(plan.places.steps, steps);
    bring(plan.places.groups, plan.groups);
    bring(plan.places.cells, lists.cells);
    const auto bring_order = [&](const OrderPlaces& places, const SlabOrder& order) {
      bring(places.cells, order.cells);
      bring(places.masks, order.masks);
      bring(places.levels, order.levels);
    };
    bring_order(plan.places.order, lists.order);
    bring_order(plan.places.needed_order, lists.needed_order);
    bring(plan.places.blocks, lists.blocks);
    bring(plan.places.block_levels, lists.block_levels);
    bring(plan.places.places, lists.places);
    bring(plan.places.place_levels, lists.place_levels);
    bring(plan.places.by_dimension, lists.by_dimension);
    TERRACE_CUDA_CHECK(cudaStreamSynchronize(stream()));
    prepared.layout = plan.layout(lists, prepared.base);
  }

  /// Calls call(Rule{}) with the rule for the table's costs.
  template <class Call>
  static void visit_rule(const Prepared& prepared, bool choice, const Call& call) {
    if constexpr (counts) {
      call(Plain{});
    } else {
      if (choice) call(Rule<T, Costs::chosen>{});
      else if (prepared.plan.steps.one_cost || prepared.plan.table.combine == Combine::any) call(Plain{});
      else call(Rule<T, Costs::each>{});
    }
  }

  template <class Made>
  static device::Kernel<device::Port, TableState*, u64*, TileWork> tile_kernel(Made) {
    return device::make_kernel(make_tile_kernel<Made>, "make_tile_kernel");
  }
  template <class Made>
  static std::size_t shared_bytes(Made, const TableLayout& layout) {
    return TileMemory<Made>(nullptr, layout).bytes;
  }
  template <class Made>
  void set_residents(Made rule, const TableLayout& layout, unsigned& residents) {
    const std::size_t bytes = shared_bytes(rule, layout);
    residents = load(tile_kernel(rule), tile_threads, bytes);
    shared_bytes_ = std::max(shared_bytes_, bytes);
  }
  static void load_all(std::size_t bytes) {
    load(tile_kernel(Plain{}), tile_threads, bytes);
    if constexpr (!counts) {
      load(tile_kernel(Rule<T, Costs::each>{}), tile_threads, bytes);
      load(tile_kernel(Rule<T, Costs::chosen>{}), tile_threads, bytes);
    }
  }

  bool submit(const device::Port& port, u64 block, const TableTask& task) override {
    if (task.table < 0 || task.table >= static_cast<i64>(tables_.size())) {
      throw DeviceError("tables", "a block is of a table that the kernel does not have");
    }
    const Prepared& prepared = tables_[static_cast<std::size_t>(task.table)];
    const TileWork work = work_of(prepared, task);
    const bool walks = task.walk_from >= 0;
    device::launch(begin_block_, shape(1, begin_threads), port, state(), counters(),
                   walks ? 0 : prepared.layout.block_level_count, block);
    if (walks) {
      walk(port, block, prepared, work);
      return true;
    }
    visit_rule(prepared, task.choice != nullptr, [&](auto rule) { make(rule, port, prepared, work); });
    const auto* cells = static_cast<const T*>(task.cells);
    const i64 count = work.last_cell + 1;
    if constexpr (Plain::finds_largest) {
      const auto blocks = std::min<i64>((count + largest_threads - 1) / largest_threads, most_copying_blocks);
      device::launch(find_largest_, shape(blocks, largest_threads), state(), cells, count);
      device::launch(find_first_, shape(blocks, largest_threads), state(), cells, count);
    }
    device::launch(report_block_, shape(1, 1), port, state(), block, cells, count);
    return true;
  }

  TileWork work_of(const Prepared& prepared, const TableTask& task) const {
    const TablePlan& plan = prepared.plan;
    TileWork work{task, prepared.layout, {}, {}, 0, 0};
    std::vector<i64> index(plan.extents.size(), 0);
    index[0] = task.first_row;
    work.first = plan.pack(index);
    for (std::size_t d = 0; d < index.size(); ++d) index[d] = plan.extents[d] - 1;
    index[0] = task.first_row + task.rows - 1;
    work.last = plan.pack(index);
    work.last_cell = task.rows * plan.strides[0] - 1;
    const bool zero_prefix =
        std::all_of(task.prefix, task.prefix + plan.table.cut.whole, [](i64 each) { return each == 0; });
    work.has_zero = zero_prefix && task.first_row == 0;
    work.layout.dominated = plan.closed && task.choice == nullptr;
    if (work.layout.dominated != 0) work.layout.order = work.layout.needed_order;
    return work;
  }

  template <class Made>
  void make(Made rule, const device::Port& port, const Prepared& prepared, const TileWork& work) {
    if (prepared.plan.table.schedule == Schedule::partitioned) {
      make_partitions<Made>(port, prepared, work);
      return;
    }
    const auto residents = static_cast<u64>(Made::has_choice ? prepared.choosing : prepared.residents);
    device::launch(tile_kernel(rule),
                   shape(static_cast<i64>(std::min<u64>(residents, prepared.layout.block_count)), tile_threads,
                         shared_bytes(rule, prepared.layout)),
                   port, state(), counters(), work);
  }

  template <class Made>
  void make_partitions(const device::Port& port, const Prepared& prepared, const TileWork& work) {
    const TablePlan& plan = prepared.plan;
    Reorganised memory{};
    memory.cells = prepared.base + plan.places.reorganised;
    memory.place = reinterpret_cast<const i64*>(prepared.base + plan.places.by_dimension);
    memory.dimensions = static_cast<i32>(plan.extents.size());
    i64 begin = 0;
    for (std::size_t d = 0; d < plan.extents.size(); ++d) {
      memory.begin[d] = begin;
      memory.extent[d] = plan.extents[d];
      memory.word[d] = plan.steps.fields[d].word;
      memory.shift[d] = plan.steps.fields[d].shift;
      memory.bits[d] = bits_of(plan.table.extents[plan.table.cut.whole + static_cast<int>(d)]);
      begin += plan.extents[d];
    }
    const auto kernel = device::make_kernel(make_partitions_kernel<Made>, "make_partitions_kernel");
    const unsigned streams = std::min(partition_streams, load(kernel, partition_threads));
    device::launch(kernel, shape(streams, partition_threads), port, state(), counters(), work, memory);
    const i64 count = work.last_cell + 1;
    const i64 blocks = std::min<i64>((count + partition_threads - 1) / partition_threads, most_copying_blocks);
    device::launch(copy_partitions_, shape(blocks, partition_threads), state(), static_cast<T*>(work.task.cells),
                   count, memory);
  }
  static i32 bits_of(i64 extent) {
    i32 bits = 0;
    for (i64 most = extent - 1; most > 0; most /= 2) ++bits;
    return bits;
  }

  void walk(const device::Port& port, u64 block, const Prepared& prepared, const TileWork& work) {
    if constexpr (counts) {
      throw DeviceError("tables", "counts have no way back");
    } else {
      const TablePlan& plan = prepared.plan;
      WalkFields fields{};
      fields.dimensions = static_cast<i32>(plan.extents.size());
      for (std::size_t d = 0; d < plan.extents.size(); ++d) {
        fields.extent[d] = plan.extents[d];
        fields.word[d] = plan.steps.fields[d].word;
        fields.shift[d] = plan.steps.fields[d].shift;
      }
      fields.extent[0] = work.task.rows;
      device::launch(walk_, shape(1, walk_threads), port, state(), work, fields, block);
    }
  }

  TableState* state() const { return reinterpret_cast<TableState*>(workspace_); }
  u64* counters() const { return reinterpret_cast<u64*>(workspace_ + state_bytes); }

  static constexpr i64 most_copying_blocks = 1024;

  using Walker = Rule<T, Costs::each>;
  static device::Kernel<device::Port, const TableState*, TileWork, WalkFields, u64> walk_kernel_of() {
    if constexpr (counts) return {};
    else return device::make_kernel(walk_kernel<Walker>, "walk_kernel");
  }

  device::Kernel<device::Port, TableState*, u64*, u64, u64> begin_block_ =
      device::make_kernel(begin_block_kernel<Plain>, "begin_block_kernel");
  static device::Kernel<TableState*, const T*, i64> largest_kernel(bool first) {
    if constexpr (!Plain::finds_largest) return {};
    else if (first) return device::make_kernel(find_first_kernel<Plain>, "find_first_kernel");
    else return device::make_kernel(find_largest_kernel<Plain>, "find_largest_kernel");
  }
  device::Kernel<TableState*, const T*, i64> find_largest_ = largest_kernel(false),
                                             find_first_ = largest_kernel(true);
  device::Kernel<device::Port, const TableState*, u64, const T*, i64> report_block_ =
      device::make_kernel(report_block_kernel<Plain>, "report_block_kernel");
  device::Kernel<const TableState*, T*, i64, Reorganised> copy_partitions_ =
      device::make_kernel(copy_partitions_kernel<Plain>, "copy_partitions_kernel");
  device::Kernel<device::Port, const TableState*, TileWork, WalkFields, u64> walk_ = walk_kernel_of();

  unsigned char* workspace_;
  std::size_t bytes_;
  std::size_t shared_bytes_ = 0;  // of a thread block, for the table that takes most
  std::deque<Prepared> tables_;
};

template <template <class, Costs> class Rule, class T>
std::unique_ptr<TableKernel> make_tables_of(const Table& table, device::Context& context, void* workspace,
                                            std::size_t bytes) {
  using Plain = Rule<T, Costs::one>;
  if (table.order == Order::unordered) {
    if constexpr (Plain::counts) return std::make_unique<PassesOnCuda<Plain>>(context, workspace);
    else throw DeviceError("tables", "there is no kernel for one step after another on CUDA");
  }
  return std::make_unique<TablesOnCuda<Rule, T>>(context, workspace, bytes);
}

}  // namespace terrace::dp_table
