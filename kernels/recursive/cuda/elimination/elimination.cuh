// Makes the updates of tiles of an elimination on CUDA. Included by the sources that the build makes from
// cuda/tiles.cu.in for types of floating-point values.
#pragma once

#include "kernels/recursive/cuda/blocks.cuh"
#include "kernels/recursive/cuda/elimination/kernel.cuh"
#include "kernels/recursive/cuda/products/products.cuh"

namespace terrace::recursive {

template <class T>
class EliminationOnCuda final : public TilesOfValues<T> {
  using Base = TilesOfValues<T>;
  using Base::shape, Base::state, Base::stream;
  using Products = ProductsOnCuda<MinusTimes, T>;

 public:
  static std::size_t workspace(std::int64_t side) { return state_bytes + Products::bytes(side); }

  EliminationOnCuda(std::int64_t side, device::Context& context, void* workspace)
      : Base(side, context, workspace),
        products_(side, stream(), static_cast<unsigned char*>(workspace) + state_bytes) {
    Base::load(eliminate_, closure_threads);
  }

 private:
  /// A part of a tile.
  struct View {
    T* data;
    i64 stride;
    View at(i64 i, i64 j) const { return {data + i * stride + j, stride}; }
  };

  bool begins_always() const override { return Products::by_blas(); }

  void update(const TileTask& task) override {
    if (task.rows == 0 || task.columns == 0) return;
    if (task.input != nullptr || task.empty != 0) Base::begin_tile(task, T(0));
    const View x{static_cast<T*>(task.x), task.x_stride};
    const View u{static_cast<T*>(const_cast<void*>(task.u)), task.u_stride};
    const View v{static_cast<T*>(const_cast<void*>(task.v)), task.v_stride};
    if (task.function == Function::d) return take_away(x, u, v, task.rows, task.columns, task.depth);
    for (i64 k = 0; k < task.depth; k += base_pivots) {
      const i64 pivots = std::min<i64>(base_pivots, task.depth - k), after = k + pivots, rest = task.depth - after;
      const i64 first = task.first_pivot + k;
      switch (task.function) {
        case Function::a:
          eliminate(Function::a, x.at(k, k), x.at(k, k), pivots, pivots, first);
          eliminate(Function::b, x.at(k, k), x.at(k, after), pivots, rest, first);
          eliminate(Function::c, x.at(k, k), x.at(after, k), pivots, rest, first);
          take_away(x.at(after, after), x.at(after, k), x.at(k, after), rest, rest, pivots);
          break;
        case Function::b:
          eliminate(Function::b, u.at(k, k), x.at(k, 0), pivots, task.columns, first);
          take_away(x.at(after, 0), u.at(after, k), x.at(k, 0), rest, task.columns, pivots);
          break;
        default:
          eliminate(Function::c, v.at(k, k), x.at(0, k), pivots, task.rows, first);
          take_away(x.at(0, after), x.at(0, k), v.at(k, after), task.rows, rest, pivots);
      }
    }
  }

  /// @param length columns of rows right of the square, or rows of columns below it
  void eliminate(Function function, const View& square, const View& x, i64 pivots, i64 length, i64 first_pivot) {
    if (length == 0) return;
    const EliminationTask<T> task{state(),
                                  function,
                                  square.data,
                                  square.stride,
                                  x.data,
                                  x.stride,
                                  static_cast<i32>(pivots),
                                  static_cast<i32>(length),
                                  first_pivot};
    device::launch(eliminate_, shape((length + base_pivots - 1) / base_pivots, closure_threads), task);
  }

  /// x <- x - u * v.
  void take_away(const View& x, const View& u, const View& v, i64 rows, i64 columns, i64 depth) {
    if (rows == 0 || columns == 0 || depth == 0) return;
    products_.multiply(state(), stream(),
                       {x.data, x.stride, u.data, u.stride, v.data, v.stride, rows, columns, depth});
  }

  device::Kernel<EliminationTask<T>> eliminate_ = device::make_kernel(eliminate_kernel<T>, "eliminate_kernel");
  Products products_;
};

}  // namespace terrace::recursive
