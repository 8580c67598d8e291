// Makes the updates of tiles of one type of values on CUDA: chooses kernels, thread blocks and arguments. Included by
// the sources that the build makes from cuda/tiles.cu.in, one a type.
#pragma once

#include <string>

#include "kernels/recursive/cuda/blocks.cuh"
#include "kernels/recursive/cuda/elimination/elimination.cuh"
#include "kernels/recursive/cuda/floyd_warshall_kernel.cuh"
#include "kernels/recursive/cuda/products/products.cuh"
#include "kernels/recursive/cuda/tiles.hpp"

namespace terrace::recursive {

template <class S, class T>
class TilesOnCuda final : public TilesOfValues<T> {
  using Base = TilesOfValues<T>;
  using Base::load, Base::shape, Base::state, Base::stream;

 public:
  static constexpr bool closes = same_type<S, MinPlus>;

  static std::size_t workspace(std::int64_t side) { return state_bytes + ProductsOnCuda<S, T>::bytes(side); }

  TilesOnCuda(std::int64_t side, device::Context& context, void* workspace)
      : Base(side, context, workspace),
        products_(side, stream(), static_cast<unsigned char*>(workspace) + state_bytes) {
    if constexpr (closes) {
      load(close_pivots(), closure_threads);
      load(close_panels(), closure_threads, sizeof(Squares<T>));
    }
  }

 private:
  static auto close_pivots() { return device::make_kernel(close_pivots_kernel<S, T>, "close_pivots_kernel"); }
  static auto close_panels() { return device::make_kernel(close_panels_kernel<S, T>, "close_panels_kernel"); }

  bool begins_always() const override { return ProductsOnCuda<S, T>::by_blas(); }

  void update(const TileTask& task) override {
    const bool there = task.rows > 0 && task.columns > 0;
    if (there && (task.input != nullptr || task.empty != 0)) Base::begin_tile(task, S::template zero<T>());
    if (task.function == Function::inspect) return;
    const bool closure = task.function != Function::d;
    if (closure && !closes) throw DeviceError("updates of tiles", "closures are those of min_plus alone");
    if (task.function == Function::a) {
      if constexpr (closes) close(task);
    } else if (there && task.depth > 0) {
      multiply(task);
    }
    if (there && task.last != 0) {
      Base::end_tile(task, task.clamped == 0 ? 0 : S::nothing == Nothing::minus_infinity ? -1 : 1);
    }
  }

  /// x <- x + u * v; u and v may be x.
  void multiply(const TileTask& task) {
    const bool is_u = task.function == Function::c, is_v = task.function == Function::b;
    products_.multiply(state(), stream(),
                       {static_cast<T*>(task.x), task.x_stride, static_cast<const T*>(is_u ? task.x : task.u),
                        is_u ? task.x_stride : task.u_stride, static_cast<const T*>(is_v ? task.x : task.v),
                        is_v ? task.x_stride : task.v_stride, task.rows, task.columns, task.depth});
  }

  void close(const TileTask& task) {
    auto* x = static_cast<T*>(task.x);
    ProductTask<S, T> product = products_.task(state(), x, task.x_stride, task.rows, task.rows, base_pivots);
    const i64 strips = (task.rows + base_pivots - 1) / base_pivots;
    products_.clear_last_panels(product, stream());  // close_panels() packs whole strips, and no more
    for (i64 pivot = 0; pivot < task.rows; pivot += base_pivots) {
      const ClosureTask<S, T> step{state(),
                                   x,
                                   task.x_stride,
                                   static_cast<i32>(task.rows),
                                   static_cast<i32>(pivot),
                                   task.first_pivot,
                                   products_.packed_u(),
                                   products_.packed_v()};
      device::launch(close_pivots(), shape(1, closure_threads), step);
      if (strips == 1) return;
      device::launch(close_panels(), shape(2 * strips, closure_threads, sizeof(Squares<T>)), step);
      product.kept_begin = step.pivot;
      product.kept_end = step.pivot + base_pivots;
      products_.launch(product, stream());
    }
  }

  ProductsOnCuda<S, T> products_;
};

template <class S, class T>
struct TilesIn {
  using Type = TilesOnCuda<S, T>;
};
template <class T>
struct TilesIn<MinusTimes, T> {
  using Type = EliminationOnCuda<T>;
};

/// The result of call.operator()<Tiles>() with the kernel of tiles in algebra number `semiring`. @throws DeviceError
/// if it has no kernels of T
template <class T, class Result, class Call>
Result visit_algebra(int semiring, const Call& call) {
  Result result{};
  bool found = false;
  Semirings::visit(semiring, [&]<class S>(S) {
    if constexpr (S::template has<T>) {
      result = call.template operator()<typename TilesIn<S, T>::Type>();
      found = true;
    }
  });
  if (found) return result;
  throw DeviceError("updates of tiles", "there are no kernels of algebra " + std::to_string(semiring) +
                                            " for this type of values on CUDA");
}

template <class T>
std::size_t CudaTiles<T>::workspace(int semiring, std::int64_t side) {
  return visit_algebra<T, std::size_t>(semiring, [&]<class Tiles>() { return Tiles::workspace(side); });
}

template <class T>
std::unique_ptr<device::BlockKernel> CudaTiles<T>::make(int semiring, std::int64_t side, device::Context& context,
                                                        void* workspace) {
  return visit_algebra<T, std::unique_ptr<device::BlockKernel>>(
      semiring, [&]<class Tiles>() { return std::make_unique<Tiles>(side, context, workspace); });
}

}  // namespace terrace::recursive
