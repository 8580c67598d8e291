// Makes the blocks of problems over intervals of one type of values on CUDA: which kernels, on how many thread
// blocks, what they are given. Included by the sources that the build makes from cuda/tiles.cu.in, one a type, so
// that products of whole tiles are those of the other problems.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/recursive/cuda_intervals.hpp"
#include "kernels/recursive/cuda_tiles.cuh"
#include "kernels/recursive/interval_kernel.cuh"
#include "kernels/recursive/weighted_kernel.cuh"

namespace terrace::recursive {

template <class R, class T>
class IntervalsOnCuda final : public Updates {
 public:
  using S = typename R::Algebra;

  static TilesWorkspace plan(const IntervalSpec& spec, std::int64_t side) {
    if (!spec.splits) return TilesOnCuda<S, T>::plan(side);
    TilesWorkspace state;
    state.bytes = 256;
    return state;
  }

  IntervalsOnCuda(const IntervalSpec& spec, std::int64_t side, device::Context& context, void* workspace)
      : side_(side), context_(context) {
    auto* bytes = static_cast<unsigned char*>(workspace);
    const TilesWorkspace at = plan(spec, side);
    state_ = reinterpret_cast<TileState*>(bytes);
    packed_u_ = reinterpret_cast<W*>(bytes + at.packed_u_at);
    packed_v_ = reinterpret_cast<W*>(bytes + at.packed_v_at);
    stream_ = device::compute_stream(context);
    // Their code is loaded now, and not while blocks are computed.
    device::resident_blocks(begin_block_, 1, 0);
    device::resident_blocks(report_, report_threads, 0);
    device::resident_blocks(trace_, trace_threads, 0);
    device::resident_blocks(parts_, part_threads, 0);
    device::resident_blocks(close_parts_, part_threads, sizeof(ClosingParts<T>));
    device::resident_blocks(pack_, product_threads, 0);
    device::resident_blocks(multiply(), product_threads, multiply_shared_bytes(side));
    rows_at_a_time_ = device::resident_blocks(fill_, row_threads, 0);
  }

  void run(const device::Port& port) override {
    if (port.descriptor_bytes < sizeof(IntervalTask) || port.result_bytes < sizeof(IntervalResult)) {
      throw DeviceError("intervals", "the port's descriptors or results are those of something else");
    }
    stream_ = device::compute_stream(context_);
    for (u64 block = port.first; block < port.first + port.count; ++block) {
      IntervalTask task;
      std::memcpy(&task, static_cast<const char*>(port.descriptors) + block % port.ring * port.descriptor_bytes,
                  sizeof task);
      check(task);
      device::launch(begin_block_, shape(1, 1), port, state_);
      compute(task);
      device::launch(report_, shape(1, report_threads), port, state_, block, task);
    }
  }

 private:
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  static constexpr unsigned row_threads = 256, trace_threads = 1024, report_threads = 64;

  static auto multiply() {
    if constexpr (R::weighted) return device::make_kernel(multiply_weighted_kernel<R, T>, "multiply_weighted_kernel");
    else return device::make_kernel(multiply_kernel<S, T>, "multiply_kernel");
  }
  static std::size_t multiply_shared_bytes(std::int64_t depth) {
    return static_cast<std::size_t>(Tile::shared_bytes + (R::weighted ? weighted_sizes_bytes<T>(depth) : 0));
  }

  void check(const IntervalTask& task) const {
    const bool tile = task.step == IntervalStep::multiply || task.step == IntervalStep::close ||
                      task.step == IntervalStep::diagonal;
    if (tile && std::max({task.rows, task.columns, task.depth}) > side_) {
      throw DeviceError("intervals", "a block of " + std::to_string(task.rows) + " x " +
                                         std::to_string(task.columns) + " x " + std::to_string(task.depth) +
                                         " is larger than the workspace, of tiles of " + std::to_string(side_));
    }
  }

  device::LaunchShape shape(i64 blocks, unsigned threads, std::size_t shared_bytes = 0) const {
    return {
        .blocks = static_cast<unsigned>(blocks), .threads = threads, .shared_bytes = shared_bytes, .stream = stream_};
  }

  static TriangleTile<T> tile_of(const IntervalTask& task, const TileState* state) {
    TriangleTile<T> tile{};
    tile.state = state;
    tile.x = static_cast<T*>(task.x);
    tile.x_stride = task.x_stride;
    tile.split = task.split;
    tile.split_stride = task.split_stride;
    tile.rows = static_cast<i32>(task.rows);
    tile.columns = static_cast<i32>(task.columns);
    tile.row = task.row;
    tile.column = task.column;
    const bool diagonal = task.step == IntervalStep::diagonal;
    tile.u = static_cast<const T*>(diagonal ? task.x : task.u);
    tile.u_stride = diagonal ? task.x_stride : task.u_stride;
    tile.v = static_cast<const T*>(diagonal ? task.x : task.v);
    tile.v_stride = diagonal ? task.x_stride : task.v_stride;
    tile.depth = static_cast<i32>(task.depth);
    tile.first_split = task.first_split;
    tile.under = static_cast<const T*>(task.under);
    tile.beside = static_cast<const T*>(task.beside);
    tile.beside_stride = task.beside_stride;
    tile.corner = static_cast<const T*>(task.corner);
    const auto* terms = static_cast<const T*>(task.terms);
    tile.terms = {terms, terms + task.nodes, terms + 2 * task.nodes, task.least_inside, task.wobble};
    return tile;
  }

  void compute(const IntervalTask& task) {
    const TriangleTile<T> tile = tile_of(task, state_);
    switch (task.step) {
      case IntervalStep::multiply:
        if (task.empty != 0) clear(tile);
        multiply(task, tile);
        break;
      case IntervalStep::close:
        if (task.empty != 0) clear(tile);
        close(tile, PartsOf::square, tile.high() + tile.wide() - 1);
        break;
      case IntervalStep::diagonal:
        clear(tile);
        close(tile, PartsOf::diagonal, tile.high());
        fill(tile, T(0), no_split, 1);
        break;
      case IntervalStep::below:
        fill(tile, T(0), no_split, 0);
        break;
      case IntervalStep::begin_trace:
      case IntervalStep::trace:
        device::launch(trace_, shape(1, trace_threads), state_, task);
        break;
      case IntervalStep::report:
        break;
    }
  }

  void fill(const TriangleTile<T>& tile, T value, i32 split, i32 below_diagonal) {
    device::launch(fill_, shape(std::min<i64>(rows_at_a_time_, tile.rows), row_threads), tile, value, split,
                   below_diagonal);
  }
  void clear(const TriangleTile<T>& tile) { fill(tile, S::template zero<T>(), last_split, 0); }

  void close(const TriangleTile<T>& tile, PartsOf of, i32 steps) {
    const bool square = of == PartsOf::square;
    for (i32 step = 0; step < steps; ++step) {
      const i32 first = std::max(0, step - tile.high() + 1), last = std::min(step, tile.wide() - 1);
      const i32 parts = square ? last - first + 1 : tile.high() - step;
      device::launch(close_parts_, shape(parts, part_threads, sizeof(ClosingParts<T>)), tile, of, step);
      if (step + 1 == steps || (!square && step == 0)) continue;
      device::launch(parts_, shape(i64{tile.high()} * tile.wide(), part_threads), tile, of, step);
    }
  }

  /// x <- x + u * v; with splits by parts, else as for other problems.
  void multiply(const IntervalTask& task, const TriangleTile<T>& tile) {
    if (task.depth == 0) return;
    if (task.split != nullptr) {
      device::launch(parts_, shape(i64{tile.high()} * tile.wide(), part_threads), tile, PartsOf::product, 0);
      return;
    }
    const PackedShape packed = packed_shape<S, T>(task.rows, task.columns, task.depth);
    const PackTask<S, T> pack{state_,
                              tile.u,
                              tile.u_stride,
                              tile.v,
                              tile.v_stride,
                              tile.rows,
                              tile.columns,
                              tile.depth,
                              packed_u_,
                              packed_v_,
                              static_cast<i32>(packed.stages)};
    device::launch(pack_, shape((packed.u_panels + packed.v_panels) * packed.stages, product_threads), pack);
    ProductTask<S, T> product{};
    product.state = state_;
    product.x = tile.x;
    product.x_stride = tile.x_stride;
    product.rows = tile.rows;
    product.columns = tile.columns;
    product.row_tiles = static_cast<i32>(packed.u_panels);
    product.column_tiles = static_cast<i32>(packed.v_panels);
    product.u = packed_u_;
    product.v = packed_v_;
    product.stages = static_cast<i32>(packed.stages);
    product.one = 1;
    const device::LaunchShape at =
        shape(packed.u_panels * packed.v_panels, product_threads, multiply_shared_bytes(task.depth));
    if constexpr (R::weighted) {
      const T* sizes = tile.terms.first;
      device::launch(multiply(), at, product,
                     SplitSizes<T>{sizes + tile.row, sizes + tile.first_split, sizes + tile.column, tile.depth});
    } else {
      device::launch(multiply(), at, product);
    }
  }

  device::Kernel<device::Port, TileState*> begin_block_ =
      device::make_kernel(begin_block_kernel<T>, "begin_block_kernel");
  device::Kernel<device::Port, const TileState*, u64, IntervalTask> report_ =
      device::make_kernel(report_interval_kernel<T>, "report_interval_kernel");
  device::Kernel<const TileState*, IntervalTask> trace_ = device::make_kernel(trace_kernel<T>, "trace_kernel");
  device::Kernel<TriangleTile<T>, T, i32, i32> fill_ = device::make_kernel(fill_kernel<T>, "fill_kernel");
  device::Kernel<TriangleTile<T>, PartsOf, i32> parts_ = device::make_kernel(parts_kernel<R, T>, "parts_kernel");
  device::Kernel<TriangleTile<T>, PartsOf, i32> close_parts_ =
      device::make_kernel(close_parts_kernel<R, T>, "close_parts_kernel");
  device::Kernel<PackTask<S, T>> pack_ = device::make_kernel(pack_kernel<S, T>, "pack_kernel");
  std::int64_t side_;
  device::Context& context_;
  TileState* state_;
  W* packed_u_;
  W* packed_v_;
  cudaStream_t stream_;
  unsigned rows_at_a_time_ = 1;
};

/// Calls call.operator()<R>() for rule number `rule`. @throws DeviceError where it has no kernels of T
template <class T, class Result, class Call, class... Rs>
Result visit_rule(int rule, const Call& call, RuleList<Rs...>) {
  Result result{};
  const auto visit = [&]<class R>(R) {
    if constexpr (R::template has<T>) {
      if (rule != rule_index<R>(Rules{})) return false;
      result = call.template operator()<R>();
      return true;
    } else {
      return false;
    }
  };
  if ((visit(Rs{}) || ...)) return result;
  throw DeviceError("intervals",
                    "there are no kernels of rule " + std::to_string(rule) + " for this type of values on CUDA");
}

template <class T>
TilesWorkspace CudaIntervals<T>::workspace(const IntervalSpec& spec, std::int64_t side) {
  return visit_rule<T, TilesWorkspace>(
      spec.rule, [&]<class R>() { return IntervalsOnCuda<R, T>::plan(spec, side); }, Rules{});
}

template <class T>
std::unique_ptr<Updates> CudaIntervals<T>::make(const IntervalSpec& spec, std::int64_t side, device::Context& context,
                                                void* workspace) {
  return visit_rule<T, std::unique_ptr<Updates>>(
      spec.rule, [&]<class R>() { return std::make_unique<IntervalsOnCuda<R, T>>(spec, side, context, workspace); },
      Rules{});
}

}  // namespace terrace::recursive
