// Makes the updates of tiles of one type of values on CUDA: which kernels, on how many thread blocks, what they are
// given. Included by the sources that the build makes from cuda/tiles.cu.in, one a type.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/device/cuda_context.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/recursive/closure_kernel.cuh"
#include "kernels/recursive/cuda_tiles.hpp"

namespace terrace::recursive {

static_assert(sizeof(TileState) <= 256 && sizeof(TileResult) % sizeof(u64) == 0);

template <class S, class T>
class TilesOnCuda final : public Updates {
 public:
  static constexpr bool closes = same_type<S, MinPlus>;

  static TilesWorkspace plan(std::int64_t side) {
    const PackedShape shape = packed_shape<S, T>(side, side, std::max<std::int64_t>(side, base_pivots));
    const auto bytes = [](i64 words) { return (static_cast<std::size_t>(words) * sizeof(W) + 255) / 256 * 256; };
    TilesWorkspace plan;
    plan.packed_u_at = 256;
    plan.packed_v_at = plan.packed_u_at + bytes(packed_u_words<W>(shape));
    plan.bytes = plan.packed_v_at + bytes(packed_v_words<W>(shape));
    return plan;
  }

  TilesOnCuda(std::int64_t side, device::Context& context, void* workspace) : side_(side), context_(context) {
    auto* bytes = static_cast<unsigned char*>(workspace);
    const TilesWorkspace at = plan(side);
    state_ = reinterpret_cast<TileState*>(bytes);
    packed_u_ = reinterpret_cast<W*>(bytes + at.packed_u_at);
    packed_v_ = reinterpret_cast<W*>(bytes + at.packed_v_at);
    stream_ = device::compute_stream(context);
    // Their code is loaded now, and not while blocks are computed.
    device::resident_blocks(begin_block_, 1, 0);
    device::resident_blocks(report_block_, 1, 0);
    device::resident_blocks(pack_, product_threads, 0);
    device::resident_blocks(multiply_, product_threads, Tile::shared_bytes);
    rows_at_a_time_ = device::resident_blocks(begin_tile_, row_threads, 0);
    device::resident_blocks(end_tile_, row_threads, 0);
    if constexpr (closes) {
      device::resident_blocks(close_pivots(), closure_threads, 0);
      device::resident_blocks(close_panels(), closure_threads, sizeof(Squares<T>));
    }
  }

  void run(const device::Port& port) override {
    if (port.descriptor_bytes < sizeof(TileTask) || port.result_bytes < sizeof(TileResult)) {
      throw DeviceError("updates of tiles", "the port's descriptors or results are those of something else");
    }
    stream_ = device::compute_stream(context_);
    for (u64 block = port.first; block < port.first + port.count; ++block) {
      TileTask task;
      std::memcpy(&task, static_cast<const char*>(port.descriptors) + block % port.ring * port.descriptor_bytes,
                  sizeof task);
      check(task);
      device::launch(begin_block_, shape(1, 1), port, state_);
      update(task);
      device::launch(report_block_, shape(1, 1), port, state_, block);
    }
  }

 private:
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  static constexpr unsigned row_threads = 256;

  static auto close_pivots() { return device::make_kernel(close_pivots_kernel<S, T>, "close_pivots_kernel"); }
  static auto close_panels() { return device::make_kernel(close_panels_kernel<S, T>, "close_panels_kernel"); }

  void check(const TileTask& task) const {
    if (std::max({task.rows, task.columns, task.depth}) > side_) {
      throw DeviceError("updates of tiles", "a block of " + std::to_string(task.rows) + " x " +
                                                std::to_string(task.columns) + " x " + std::to_string(task.depth) +
                                                " is larger than the workspace, of tiles of " +
                                                std::to_string(side_));
    }
    const bool closure = task.function == Function::a || task.function == Function::b || task.function == Function::c;
    if (closure && !closes) throw DeviceError("updates of tiles", "closures are those of min_plus alone");
  }

  device::LaunchShape shape(i64 blocks, unsigned threads, std::size_t shared_bytes = 0) const {
    return {
        .blocks = static_cast<unsigned>(blocks), .threads = threads, .shared_bytes = shared_bytes, .stream = stream_};
  }
  device::LaunchShape shape_of_rows(const TileTask& task) const {
    return shape(std::min<i64>(rows_at_a_time_, task.rows), row_threads);
  }

  void update(const TileTask& task) {
    const bool there = task.rows > 0 && task.columns > 0;
    const TileValues<T> values{static_cast<T*>(task.x),
                               task.x_stride,
                               static_cast<const T*>(task.input),
                               task.input_stride,
                               S::template zero<T>(),
                               static_cast<i32>(task.rows),
                               static_cast<i32>(task.columns)};
    if (there && (task.input != nullptr || task.empty != 0)) {
      device::launch(begin_tile_, shape_of_rows(task), state_, values);
    }
    if (task.function == Function::inspect) return;
    if (task.function == Function::a) {
      if constexpr (closes) close(task);
    } else if (there && task.depth > 0) {
      multiply(task);
    }
    if (there && task.last != 0) {
      const i32 clamp = task.clamped == 0 ? 0 : S::nothing == Nothing::minus_infinity ? -1 : 1;
      device::launch(end_tile_, shape_of_rows(task), state_, values, clamp);
    }
  }

  /// x <- x + u * v; u and v may be x.
  void multiply(const TileTask& task) {
    const PackedShape packed = packed_shape<S, T>(task.rows, task.columns, task.depth);
    PackTask<S, T> pack{};
    pack.state = state_;
    const bool is_u = task.function == Function::c, is_v = task.function == Function::b;
    pack.u = static_cast<const T*>(is_u ? task.x : task.u);
    pack.u_stride = is_u ? task.x_stride : task.u_stride;
    pack.v = static_cast<const T*>(is_v ? task.x : task.v);
    pack.v_stride = is_v ? task.x_stride : task.v_stride;
    pack.rows = static_cast<i32>(task.rows);
    pack.columns = static_cast<i32>(task.columns);
    pack.depth = static_cast<i32>(task.depth);
    pack.packed_u = packed_u_;
    pack.packed_v = packed_v_;
    pack.stages = static_cast<i32>(packed.stages);
    device::launch(pack_, shape((packed.u_panels + packed.v_panels) * packed.stages, product_threads), pack);
    multiply_packed(task, packed, 0, 0);
  }

  void multiply_packed(const TileTask& task, const PackedShape& packed, i64 kept_begin, i64 kept_end) {
    ProductTask<S, T> product{};
    product.state = state_;
    product.x = static_cast<T*>(task.x);
    product.x_stride = task.x_stride;
    product.rows = static_cast<i32>(task.rows);
    product.columns = static_cast<i32>(task.columns);
    product.row_tiles = static_cast<i32>(packed.u_panels);
    product.column_tiles = static_cast<i32>(packed.v_panels);
    product.u = packed_u_;
    product.v = packed_v_;
    product.stages = static_cast<i32>(packed.stages);
    product.kept_begin = static_cast<i32>(kept_begin);
    product.kept_end = static_cast<i32>(kept_end);
    product.one = 1;
    device::launch(multiply_, shape(packed.u_panels * packed.v_panels, product_threads, Tile::shared_bytes), product);
  }

  void close(const TileTask& task) {
    const PackedShape packed = packed_shape<S, T>(task.rows, task.rows, base_pivots);
    const i64 strips = (task.rows + base_pivots - 1) / base_pivots;
    for (i64 pivot = 0; pivot < task.rows; pivot += base_pivots) {
      const ClosureTask<S, T> step{state_,
                                   static_cast<T*>(task.x),
                                   task.x_stride,
                                   static_cast<i32>(task.rows),
                                   static_cast<i32>(pivot),
                                   task.first_pivot,
                                   packed_u_,
                                   packed_v_};
      device::launch(close_pivots(), shape(1, closure_threads), step);
      if (strips == 1) return;
      device::launch(close_panels(), shape(2 * strips, closure_threads, sizeof(Squares<T>)), step);
      multiply_packed(task, packed, pivot, pivot + base_pivots);
    }
  }

  device::Kernel<device::Port, TileState*> begin_block_ =
      device::make_kernel(begin_block_kernel<T>, "begin_block_kernel");
  device::Kernel<device::Port, const TileState*, u64> report_block_ =
      device::make_kernel(report_block_kernel<T>, "report_block_kernel");
  device::Kernel<TileState*, TileValues<T>> begin_tile_ =
      device::make_kernel(begin_tile_kernel<T>, "begin_tile_kernel");
  device::Kernel<TileState*, TileValues<T>, i32> end_tile_ =
      device::make_kernel(end_tile_kernel<T>, "end_tile_kernel");
  device::Kernel<PackTask<S, T>> pack_ = device::make_kernel(pack_kernel<S, T>, "pack_kernel");
  device::Kernel<ProductTask<S, T>> multiply_ = device::make_kernel(multiply_kernel<S, T>, "multiply_kernel");
  std::int64_t side_;
  device::Context& context_;
  TileState* state_;
  W* packed_u_;
  W* packed_v_;
  cudaStream_t stream_;
  unsigned rows_at_a_time_ = 1;
};

/// Calls call.operator()<S>() for algebra number `semiring`. @throws DeviceError where it has no kernels of T
template <class T, class Result, class Call, class... Ss>
Result visit_algebra(int semiring, const Call& call, SemiringList<Ss...>) {
  Result result{};
  const auto visit = [&]<class S>(S) {
    // What elimination takes away is computed on the CPU alone.
    if constexpr (S::template has<T> && !same_type<S, MinusTimes>) {
      if (semiring != semiring_index<S>(Semirings{})) return false;
      result = call.template operator()<S>();
      return true;
    } else {
      return false;
    }
  };
  if ((visit(Ss{}) || ...)) return result;
  throw DeviceError("updates of tiles", "there are no kernels of algebra " + std::to_string(semiring) +
                                            " for this type of values on CUDA");
}

template <class T>
TilesWorkspace CudaTiles<T>::workspace(int semiring, std::int64_t side) {
  return visit_algebra<T, TilesWorkspace>(
      semiring, [&]<class S>() { return TilesOnCuda<S, T>::plan(side); }, Semirings{});
}

template <class T>
std::unique_ptr<Updates> CudaTiles<T>::make(int semiring, std::int64_t side, device::Context& context,
                                            void* workspace) {
  return visit_algebra<T, std::unique_ptr<Updates>>(
      semiring, [&]<class S>() { return std::make_unique<TilesOnCuda<S, T>>(side, context, workspace); },
      Semirings{});
}

}  // namespace terrace::recursive
