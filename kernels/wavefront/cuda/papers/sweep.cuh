// Makes the sweeps of one problem in kernel tiles on CUDA. Included by the sources that the build makes from
// cuda/papers/tiles.cu.in, one a problem.
#pragma once

#include "kernels/wavefront/cuda/papers/kernel.cuh"
#include "kernels/wavefront/cuda/papers/sweep.hpp"
#include "kernels/wavefront/cuda/sweep.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// A sweep in tiles of problem P, computed in V.
template <class P, class V>
class CudaTileSweep final : public device::BlockKernel {
 public:
  using Constants = typename P::template Constants<i64>;

  CudaTileSweep(const SweepSpec& spec, const CudaTilePlan& plan, device::Context& context, void* workspace,
                const CudaTrial& trial)
      : spec_(spec),
        grid_(grid_of(spec)),
        plan_(plan),
        context_(context),
        workspace_(static_cast<unsigned char*>(workspace)),
        trial_(trial),
        constants_(problem_constants<P>(spec.settings)),
        kernel_(kernel_for(spec.schedule)) {
    take_shape(plan.shape.width);
    device::resident_blocks(kernel_, threads_, shared_bytes_);  // loads the kernel
    if (plan.measures) take_shape(measured_width());
  }

  void run(const device::Port& port) override {
    check(port);
    if (port.count > 0) launch(port);
  }

 private:
  using Kernel = device::Kernel<TileArguments, Constants>;

  static Kernel kernel_for(const Schedule& schedule) {
    if (schedule.storage == Schedule::Storage::shared) {
      return device::make_kernel(sweep_tiles_kernel<P, V, SharedTile<V>>, "sweep_tiles_kernel");
    }
    return device::make_kernel(sweep_tiles_kernel<P, V, CachedTile<V>>, "sweep_tiles_kernel");
  }

  /// Makes the arguments for tiles of that width.
  void take_shape(std::int64_t width) {
    plan_.shape.width = width;
    const auto [height, skew] = std::pair{plan_.shape.height, plan_.shape.skew};
    TileArguments& a = arguments_;
    a = {};
    a.shape = plan_.shape;
    a.waves = {plan_.bands, plan_.shape.across(plan_.measures ? plan_.row_stride : grid_.block_columns),
               1 + plan_.shape.ahead()};
    const auto synchronisation = spec_.schedule.synchronisation;
    a.order = synchronisation == Schedule::Synchronisation::barrier ? TileOrder::waves
              : synchronisation == Schedule::Synchronisation::peer  ? TileOrder::flags
                                                                    : TileOrder::counters;
    a.finished = reinterpret_cast<u64*>(workspace_ + plan_.finished_at);
    a.progress = reinterpret_cast<u64*>(workspace_ + plan_.progress_at);
    a.ring = static_cast<u64>(plan_.ring);
    a.rows = workspace_ + plan_.rows_at;
    a.row_bytes = plan_.row_bytes;
    a.row_stride = plan_.row_stride;
    a.states = workspace_ + plan_.states_at;
    a.state_bytes = plan_.state_bytes;
    a.item_mask = 1;
    while (a.item_mask + 1 < static_cast<u32>(width + skew * height)) a.item_mask = 2 * a.item_mask + 1;
    describe(a.sweep);
    std::size_t storage = spec_.table ? static_cast<std::size_t>(height * kept_stride<V>) * sizeof(V) : 0;
    threads_ = static_cast<unsigned>(height);
    if (spec_.schedule.storage == Schedule::Storage::shared) {
      const auto cells = height * SharedTile<V>::stride_for(static_cast<i32>(width));
      storage = static_cast<std::size_t>(cells + (P::row_planes == 2 ? 2 * height : 0)) * sizeof(V);
      threads_ = most_tile_threads;  // which move the tile (Li 2020, section 6.4)
    }
    shared_bytes_ = TileMemoryPlan<P, V>::of(a.shape, a.item_mask, static_cast<u32>(storage)).bytes;
  }

  void describe(SweepArguments& a) const {
    a.slots = reinterpret_cast<BlockSlot*>(workspace_ + plan_.slots_at);
    a.column_flags = reinterpret_cast<u32*>(workspace_ + plan_.column_flags_at);
    a.rows = spec_.rows;
    a.columns = spec_.columns;
    a.across = static_cast<u64>(grid_.across());
    a.bands = static_cast<u32>(plan_.bands);
    a.band_rows = static_cast<i32>(plan_.shape.height);
    a.border = stored(spec_.border);
    a.table = stored(spec_.table.value_or(spec_.value));
    a.grid = stored(spec_.grid);
    a.value = stored(spec_.value);
    if constexpr (P::items == Items::grid) a.check = !is_floating(spec_.value) && constants_.wrap == 0;
    a.scale = static_cast<double>(score_scale(spec_.problem, spec_.settings));
    if constexpr (by_matrix<P>) a.matrix = *constants_.matrix;
  }

  u64 tickets_of_a_block() const {
    const TileArguments& a = arguments_;
    return a.order == TileOrder::waves ? static_cast<u64>(a.waves.down * a.waves.across) : a.sweep.bands;
  }

  void check(const device::Port& port) const {
    if (port.descriptor_bytes < sizeof(BlockTask) || port.descriptor_bytes % sizeof(u64) != 0 ||
        port.result_bytes < sizeof(BlockResult) || port.result_bytes % sizeof(u64) != 0) {
      throw DeviceError(kernel_.name, "the port's descriptors or results are not those of a wavefront");
    }
    if (port.count > 0xFFFFFFFEu / arguments_.sweep.bands) {
      throw DeviceError(kernel_.name, std::to_string(port.count) + " blocks are too many for one launch");
    }
  }

  /// One thread block a multiprocessor, as the papers have it: rows of tiles are dealt to them in turn.
  void launch(const device::Port& port) {
    TileArguments arguments = arguments_;
    arguments.sweep.launch = {port, reinterpret_cast<device::LaunchWords*>(workspace_), static_cast<u64>(plan_.slots),
                              trial_.delay_seed};
    arguments.sweep.tickets = port.count * tickets_of_a_block();
    const cudaStream_t stream = device::compute_stream(context_);
    TERRACE_CUDA_CHECK(cudaMemsetAsync(workspace_, 0, plan_.rows_at, stream));
    // The kernel's limit of shared memory may have been set by another sweep.
    const u64 resident = device::resident_blocks(kernel_, threads_, shared_bytes_);
    const u64 most = std::min(resident, static_cast<u64>(context_.limits().processors));
    unsigned blocks = static_cast<unsigned>(std::min<u64>(most, arguments.sweep.tickets));
    if (trial_.thread_blocks > 0) blocks = std::min(blocks, trial_.thread_blocks);
    device::launch(kernel_, {.blocks = blocks, .threads = threads_, .shared_bytes = shared_bytes_, .stream = stream},
                   arguments, constants_);
  }

  /// PeerWave's findOptimumTileWidth(): times a small part, two rows of tiles, in tiles of two widths, from which the
  /// costs of a diagonal and of a synchronisation follow.
  std::int64_t measured_width() {
    constexpr std::int64_t narrow = measured::CudaTiles::trial_narrow, wide = measured::CudaTiles::trial_wide;
    const double narrow_seconds = seconds_per_tile(narrow), wide_seconds = seconds_per_tile(wide);
    TileCosts costs;
    costs.diagonal = std::max(1e-12, (wide_seconds - narrow_seconds) / static_cast<double>(wide - narrow));
    costs.synchronisation = std::max(0.0, narrow_seconds - costs.diagonal * narrow);
    TileLimits limits;
    limits.processors = context_.limits().processors;
    limits.most_height = plan_.shape.height;
    return tile_shape(spec_.schedule, grid_.block_rows, grid_.block_columns, limits, costs).width;
  }

  /// From tables of two lengths, so that the cost of a launch cancels out; a launch before warms up.
  double seconds_per_tile(std::int64_t width) {
    constexpr std::int64_t few = measured_columns / 3, many = measured_columns;
    take_shape(width);
    time_part(few);
    const double seconds = time_part(many) - time_part(few);
    return seconds * static_cast<double>(width) / static_cast<double>(many - few);
  }

  /// Seconds of a block of two rows of tiles and so many columns. All of its rows are one in memory.
  double time_part(std::int64_t columns) {
    const cudaStream_t stream = device::compute_stream(context_);
    unsigned char* const memory = workspace_ + plan_.trial_at;
    TERRACE_CUDA_CHECK(cudaMemsetAsync(memory, 0, measured_port_bytes + 2 * measured_row_bytes, stream));
    BlockTask task{};
    task.row_end = 2 * plan_.shape.height;
    task.column_end = columns;
    task.rows = task.columns = task.grid = memory + measured_port_bytes;
    if (spec_.table) task.table = memory + measured_port_bytes + measured_row_bytes;
    u64* const words = reinterpret_cast<u64*>(memory);
    const u64 ready = 1;
    unsigned char* const descriptor = memory + 64;
    const device::Port port{words,     words + 1,   words + 2,           words + 3,
                            words + 4, words + 5,   descriptor,          descriptor + sizeof task,
                            1,         sizeof task, sizeof(BlockResult), 0,
                            1};
    TERRACE_CUDA_CHECK(cudaMemcpyAsync(words, &ready, sizeof ready, cudaMemcpyHostToDevice, stream));
    TERRACE_CUDA_CHECK(cudaMemcpyAsync(descriptor, &task, sizeof task, cudaMemcpyHostToDevice, stream));
    const auto begin = context_.record(device::Queue::compute);
    launch(port);
    const auto end = context_.record(device::Queue::compute);
    end->wait();
    return end->seconds_since(*begin);
  }

  SweepSpec spec_;
  BlockGrid grid_;
  CudaTilePlan plan_;
  device::Context& context_;
  unsigned char* workspace_;
  CudaTrial trial_;
  Constants constants_;
  Kernel kernel_;
  TileArguments arguments_{};
  std::size_t shared_bytes_ = 0;
  unsigned threads_ = 0;
};

/// Calls call(V{}) with the type that cells of the spec are computed in.
template <class P, class Call>
auto with_tile_value(const SweepSpec& spec, Call&& call) {
  if constexpr (P::items == Items::letters) {
    check_bound(spec);
    if (spec.value == ElementType::i64) return call(i64{});
    if (spec.value != ElementType::i32 && spec.value != ElementType::i16) refuse_type(spec);
    return call(Word{});
  } else if constexpr (P::items == Items::values) {
    check_real_types(spec);
    if (spec.value == ElementType::f32) return call(Real<float>{});
    return call(Real<double>{});
  } else {
    check_sum_types<P>(spec);
    if (spec.value == ElementType::f32) return call(float{});
    if (spec.value == ElementType::f64) return call(double{});
    return call(i64{});
  }
}

/// Problems without a kernel of tiles are never swept by one (in_tiles).
[[noreturn]] inline void refuse_tiles(const SweepSpec& spec) {
  throw DeviceError("wavefront sweep of " + spec.problem + " on CUDA", "there is no kernel of tiles for it");
}

template <class P>
std::size_t CudaTileSweeps<P>::workspace_bytes(const SweepSpec& spec, const device::Limits& limits,
                                               const CudaTrial& trial) {
  if constexpr (!sweeps_in_tiles<P>) refuse_tiles(spec);
  else {
    return with_tile_value<P>(spec, [&]<class V>(V) {
      return plan_tiles(spec, limits, {sizeof(V), P::row_planes}, trial).bytes;
    });
  }
}

template <class P>
std::unique_ptr<device::BlockKernel> CudaTileSweeps<P>::make(const SweepSpec& spec, device::Context& context,
                                                             void* workspace, const CudaTrial& trial) {
  if constexpr (!sweeps_in_tiles<P>) refuse_tiles(spec);
  else {
    return with_tile_value<P>(spec, [&]<class V>(V) -> std::unique_ptr<device::BlockKernel> {
      const CudaTilePlan plan = plan_tiles(spec, context.limits(), {sizeof(V), P::row_planes}, trial);
      return std::make_unique<CudaTileSweep<P, V>>(spec, plan, context, workspace, trial);
    });
  }
}

}  // namespace terrace::wavefront
