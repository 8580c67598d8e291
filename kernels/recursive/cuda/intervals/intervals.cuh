// Makes the blocks of problems over intervals of one type of values on CUDA: chooses kernels, thread blocks and
// arguments. Included by the sources that the build makes from cuda/tiles.cu.in, one a type, so that products of
// whole tiles use the kernels of the other problems.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/recursive/cuda/blocks.cuh"
#include "kernels/recursive/cuda/intervals/intervals.hpp"
#include "kernels/recursive/cuda/intervals/kernel.cuh"
#include "kernels/recursive/cuda/intervals/weighted_kernel.cuh"
#include "kernels/recursive/cuda/products/products.cuh"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

template <class R, class T>
class IntervalsOnCuda final : public BlocksOnCuda<IntervalTask, IntervalResult> {
 public:
  using S = typename R::Algebra;

  /// Splits are found without packed factors.
  static std::size_t workspace(const IntervalSpec& spec, std::int64_t side) {
    return state_bytes + (spec.splits ? 0 : ProductsOnCuda<S, T>::bytes(side));
  }

  IntervalsOnCuda(const IntervalSpec&, std::int64_t side, device::Context& context, void* workspace)
      : BlocksOnCuda(side, context, workspace),
        products_(side, stream(), static_cast<unsigned char*>(workspace) + state_bytes) {
    load(report_, report_threads);
    load(trace_, trace_threads);
    load(parts_, part_threads);
    load(close_parts_, part_threads, sizeof(PartInShared<T>));
    if constexpr (R::weighted) load(multiply_weighted(), ProductTile<T>::threads, weighted_shared_bytes(side));
    rows_at_a_time_ = load(fill_, row_threads);
  }

 private:
  static constexpr unsigned row_threads = measured::CudaRows::threads,
                            trace_threads = measured::CudaIntervals::trace_threads, report_threads = 64;

  static auto multiply_weighted() {
    return device::make_kernel(multiply_weighted_kernel<R, T>, "multiply_weighted_kernel");
  }
  static std::size_t weighted_shared_bytes(std::int64_t depth) {
    return static_cast<std::size_t>(ProductTile<Word<S, T>>::shared_bytes + weighted_sizes_bytes<T>(depth));
  }

  i64 side_of(const IntervalTask& task) const override {
    const bool tile = task.step == IntervalStep::multiply || task.step == IntervalStep::close ||
                      task.step == IntervalStep::diagonal;
    return tile ? std::max({task.rows, task.columns, task.depth}) : 0;
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

  void update(const IntervalTask& task) override {
    const TriangleTile<T> tile = tile_of(task, state());
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
        device::launch(trace_, shape(1, trace_threads), state(), task);
        break;
      case IntervalStep::report:
        break;
    }
  }

  void report(const device::Port& port, u64 block, const IntervalTask& task) override {
    device::launch(report_, shape(1, report_threads), port, state(), block, task);
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
      device::launch(close_parts_, shape(parts, part_threads, sizeof(PartInShared<T>)), tile, of, step);
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
    const ProductOf<T> of{tile.x,        tile.x_stride, tile.u,       tile.u_stride, tile.v,
                          tile.v_stride, task.rows,     task.columns, task.depth};
    if constexpr (R::weighted) {
      const ProductTask<S, T> product = products_.pack(state(), stream(), of);
      const T* sizes = tile.terms.first;
      device::launch(multiply_weighted(),
                     ProductsOnCuda<S, T>::shape(product, stream(), weighted_shared_bytes(task.depth)), product,
                     SplitSizes<T>{sizes + tile.row, sizes + tile.first_split, sizes + tile.column, tile.depth});
    } else {
      products_.multiply(state(), stream(), of);
    }
  }

  device::Kernel<device::Port, const TileState*, u64, IntervalTask> report_ =
      device::make_kernel(report_interval_kernel<T>, "report_interval_kernel");
  device::Kernel<TileState*, IntervalTask> trace_ = device::make_kernel(trace_kernel<T>, "trace_kernel");
  device::Kernel<TriangleTile<T>, T, i32, i32> fill_ = device::make_kernel(fill_kernel<T>, "fill_kernel");
  device::Kernel<TriangleTile<T>, PartsOf, i32> parts_ = device::make_kernel(parts_kernel<R, T>, "parts_kernel");
  device::Kernel<TriangleTile<T>, PartsOf, i32> close_parts_ =
      device::make_kernel(close_parts_kernel<R, T>, "close_parts_kernel");
  ProductsOnCuda<S, T> products_;
  unsigned rows_at_a_time_ = 1;
};

/// The result of call.operator()<R>() for rule number `rule`. @throws DeviceError if it has no kernels of T
template <class T, class Result, class Call>
Result visit_rule(int rule, const Call& call) {
  Result result{};
  bool found = false;
  Rules::visit(rule, [&]<class R>(R) {
    if constexpr (R::template has<T>) {
      result = call.template operator()<R>();
      found = true;
    }
  });
  if (found) return result;
  throw DeviceError("intervals",
                    "there are no kernels of rule " + std::to_string(rule) + " for this type of values on CUDA");
}

template <class T>
std::size_t CudaIntervals<T>::workspace(const IntervalSpec& spec, std::int64_t side) {
  return visit_rule<T, std::size_t>(spec.rule,
                                    [&]<class R>() { return IntervalsOnCuda<R, T>::workspace(spec, side); });
}

template <class T>
std::unique_ptr<device::BlockKernel> CudaIntervals<T>::make(const IntervalSpec& spec, std::int64_t side,
                                                            device::Context& context, void* workspace) {
  return visit_rule<T, std::unique_ptr<device::BlockKernel>>(
      spec.rule, [&]<class R>() { return std::make_unique<IntervalsOnCuda<R, T>>(spec, side, context, workspace); });
}

}  // namespace terrace::recursive
