// Makes the updates of tiles of distances and trails on CUDA. Included by the sources that the build makes from
// cuda/paths.cu.in, one a type of trails.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/recursive/cuda/blocks.cuh"
#include "kernels/recursive/cuda/paths/kernel.cuh"
#include "kernels/recursive/cuda/tiles.hpp"

namespace terrace::recursive {

template <class T, class W>
class PathsOnCuda final : public TilesOfValues<T> {
  using Base = TilesOfValues<T>;
  using Base::load, Base::shape, Base::state;
  using D = Distance<T>;
  using Pairs = PairView<T, W>;
  using Copies = PairView<D, W>;
  using Wide = RelaxTile<T, W, false>;
  using Narrow = RelaxTile<T, W, true>;

  /// Parts of x as a kernel relaxes them.
  struct Parts {
    i64 rows, columns;
    unsigned threads;
    std::size_t shared_bytes;
    device::Kernel<RelaxTask<T, W>> kernel;

    template <class Tile, bool narrow>
    static Parts of() {
      return {Tile::rows, Tile::columns, Tile::threads, sizeof(typename Tile::Shared),
              device::make_kernel(relax_pairs_kernel<T, W, narrow>, "relax_pairs_kernel")};
    }
    /// The parts for which a thread block has enough shared memory.
    static Parts that_fit(std::size_t most_shared_bytes) {
      const Parts wide = of<Wide, false>();
      return wide.shared_bytes <= most_shared_bytes ? wide : of<Narrow, true>();
    }
  };

 public:
  static std::size_t workspace(std::int64_t side) {
    return state_bytes + 2 * static_cast<std::size_t>(pairs_of(side)) * (sizeof(D) + sizeof(W));
  }

  PathsOnCuda(std::int64_t side, device::Context& context, void* workspace)
      : Base(side, context, workspace), parts_(Parts::that_fit(context.limits().block_shared_bytes)) {
    const i64 pairs = pairs_of(side);
    auto* trails = reinterpret_cast<W*>(static_cast<unsigned char*>(workspace) + state_bytes);
    auto* distances = reinterpret_cast<D*>(trails + 2 * pairs);
    u_ = {distances, trails, 0};
    v_ = {distances + pairs, trails + pairs, 0};
    load(begin_trails_, Base::row_threads);
    load(end_trails_, Base::row_threads);
    copies_at_a_time_ = load(copy_, closure_threads);
    load(parts_.kernel, parts_.threads, parts_.shared_bytes);
    load(close_, closure_threads);
    load(close_panels_, closure_threads, sizeof(PanelFactors<T, W>));
  }

 private:
  /// Copies of factors hold a multiple of this.
  static constexpr i64 longest = std::max(Wide::rows, Wide::columns);
  static_assert(longest % Narrow::rows == 0 && longest % Narrow::columns == 0 && longest % copy_side == 0);
  static_assert(copy_side % Wide::depth == 0 && copy_side % Narrow::depth == 0);

  static constexpr i64 whole(i64 count, i64 step) { return (count + step - 1) / step * step; }
  /// Pairs in the copy of a factor, whose rows are pivots.
  static constexpr i64 pairs_of(i64 side) {
    return whole(std::max<i64>(side, base_pivots), copy_side) * whole(side, longest);
  }

  void update(const TileTask& task) override {
    const bool there = task.rows > 0 && task.columns > 0;
    const PairTile<T, W> tile{Base::values_of(task, infinity<T>()),
                              static_cast<W*>(task.x_trail),
                              task.first_row,
                              task.first_column,
                              task.loops,
                              static_cast<i32*>(task.output),
                              task.output_stride};
    if (there && task.input != nullptr) {
      Base::begin_tile(task, infinity<T>());
      if (task.x != nullptr) device::launch(begin_trails_, Base::shape_of_rows(task), state(), tile);
    }
    if (task.function == Function::inspect || !there) return;
    const Pairs x{static_cast<T*>(task.x), static_cast<W*>(task.x_trail), task.x_stride};
    if (task.function == Function::a) {
      close(x, task.rows, task.first_pivot);
    } else {
      const auto factor = [&](const void* values, const void* trails, i64 stride) {
        return values == nullptr ? x
                                 : Pairs{static_cast<T*>(const_cast<void*>(values)),
                                         static_cast<W*>(const_cast<void*>(trails)), stride};
      };
      relax(x, factor(task.u, task.u_trail, task.u_stride), factor(task.v, task.v_trail, task.v_stride), task.rows,
            task.columns, task.depth);
    }
    if (task.last == 0) return;
    Base::end_tile(task, task.clamped == 0 ? 0 : 1);
    device::launch(end_trails_, Base::shape_of_rows(task), state(), tile);
  }

  /// Copies a factor to where `to` begins.
  Copies copy(const Pairs& from, i64 rows, i64 columns, Copies to, bool turned) {
    const i64 copied_rows = whole(turned ? columns : rows, copy_side);
    const i64 copied_columns = whole(turned ? rows : columns, longest);
    to.stride = copied_columns;
    const W mask = turned ? static_cast<W>(~W(0)) : static_cast<W>(~Trail<W>::next_mask);
    const CopyTask<T, W> task{state(), from, rows, columns, to, copied_rows, copied_columns, turned, mask};
    const i64 squares = copied_rows / copy_side * (copied_columns / copy_side);
    device::launch(copy_, shape(std::min<i64>(copies_at_a_time_, squares), closure_threads), task);
    return to;
  }

  /// x <- x + u * v; u and v may be x.
  void relax(const Pairs& x, const Pairs& u, const Pairs& v, i64 rows, i64 columns, i64 depth) {
    relax({state(), x, rows, columns, copy(u, rows, depth, u_, true), copy(v, depth, columns, v_, false), depth, 0, 0,
           1});
  }
  void relax(const RelaxTask<T, W>& task) {
    const i64 parts =
        whole(task.rows, parts_.rows) / parts_.rows * (whole(task.columns, parts_.columns) / parts_.columns);
    device::launch(parts_.kernel, shape(parts, parts_.threads, parts_.shared_bytes), task);
  }

  /// Pivots after pivots close their own square, their rows and their columns with it, and all else with these.
  void close(const Pairs& x, i64 size, i64 first_pivot) {
    const i64 padded = whole(size, longest);
    const PairView<D, W> u{u_.distances, u_.trails, padded}, v{v_.distances, v_.trails, padded};
    for (i64 k = 0; k < size; k += base_pivots) {
      const i64 pivots = std::min<i64>(base_pivots, size - k);
      const Pairs square{x.distances + k * x.stride + k, x.trails + k * x.stride + k, x.stride};
      device::launch(close_, shape(1, closure_threads), state(), square, pivots, first_pivot + k);
      if (size <= base_pivots) return;
      const PanelTask<T, W> panels{state(), x, size, k, u, v, padded / base_pivots};
      device::launch(close_panels_, shape(2 * panels.strips, closure_threads, sizeof(PanelFactors<T, W>)), panels);
      relax({state(), x, size, size, u, v, pivots, k, k + pivots, 1});
    }
  }

  device::Kernel<const TileState*, PairTile<T, W>> begin_trails_ =
      device::make_kernel(begin_trails_kernel<T, W>, "begin_trails_kernel");
  device::Kernel<const TileState*, PairTile<T, W>> end_trails_ =
      device::make_kernel(end_trails_kernel<T, W>, "end_trails_kernel");
  device::Kernel<CopyTask<T, W>> copy_ = device::make_kernel(copy_pairs_kernel<T, W>, "copy_pairs_kernel");
  device::Kernel<TileState*, Pairs, i64, i64> close_ =
      device::make_kernel(close_pairs_kernel<T, W>, "close_pairs_kernel");
  device::Kernel<PanelTask<T, W>> close_panels_ =
      device::make_kernel(close_panels_of_pairs_kernel<T, W>, "close_panels_of_pairs_kernel");
  Parts parts_;
  Copies u_, v_;  // copies of factors
  unsigned copies_at_a_time_ = 1;
};

/// Calls call.operator()<T>() for the type of distances. @throws DeviceError if it has no such trails
template <class W, class Result, class Call>
Result visit_distances(ElementType type, const Call& call) {
  if constexpr (sizeof(W) == 8) {
    if (type == ElementType::f64) return call.template operator()<double>();
    if (type == ElementType::i64) return call.template operator()<i64>();
  }
  if (type == ElementType::f32) return call.template operator()<float>();
  if (type == ElementType::i16) return call.template operator()<i16>();
  if (type == ElementType::i32) return call.template operator()<i32>();
  throw DeviceError("updates of tiles", "there are no kernels of such paths in " + std::string(name_of(type)));
}

template <class W>
std::size_t CudaPaths<W>::workspace(ElementType type, std::int64_t side) {
  return visit_distances<W, std::size_t>(type, [&]<class T>() { return PathsOnCuda<T, W>::workspace(side); });
}

template <class W>
std::unique_ptr<device::BlockKernel> CudaPaths<W>::make(ElementType type, std::int64_t side, device::Context& context,
                                                        void* workspace) {
  return visit_distances<W, std::unique_ptr<device::BlockKernel>>(
      type, [&]<class T>() { return std::make_unique<PathsOnCuda<T, W>>(side, context, workspace); });
}

}  // namespace terrace::recursive
