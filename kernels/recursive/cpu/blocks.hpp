// The common base of updates of tiles on the CPU: all threads work on one block after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/for_instruction_set.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/recursive/cpu/product.hpp"
#include "kernels/recursive/measured.hpp"
#include "kernels/recursive/rules/matrix.hpp"
#include "kernels/recursive/semiring.hpp"
#include "kernels/recursive/task.hpp"
#include "kernels/recursive/tiles.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::recursive {

inline constexpr i64 base_size = measured::CpuTasks::base_pivots;  // pivots that a tile is closed by at a time

/// The least and largest of finite values.
template <class T>
struct Found {
  bool any = false;
  T least{}, most{};

  void add(T value) {
    if (value >= infinity<T>() || value <= -infinity<T>()) return;
    least = any ? std::min(least, value) : value;
    most = any ? std::max(most, value) : value;
    any = true;
  }
  void add(const Found& other) {
    if (other.any) add(other.least), add(other.most);
  }
};

/// A value as results have it.
template <class T>
TileResult::Extremes extremes(T value) {
  if constexpr (std::is_floating_point_v<T>) return {0, static_cast<double>(value)};
  else return {static_cast<i64>(value), 0};
}

/// Blocks with descriptors of type Task and results of type Result.
template <class Task, class Result>
class CpuBlocks : public device::CpuBlocks<Task, Result> {
 protected:
  using device::CpuBlocks<Task, Result>::CpuBlocks;
  using device::CpuBlocks<Task, Result>::threads;
  using device::CpuBlocks<Task, Result>::in_turn;

  static constexpr double few_operations = measured::CpuTasks::few_operations;  // quicker on one thread

  /// Calls work(begin, end, thread) for pieces of [0, count).
  template <class Work>
  void in_pieces(i64 count, double operations, const Work& work) {
    constexpr i64 most_piece = measured::CpuTasks::most_piece;
    if (count <= 0) return;
    const bool alone = operations <= few_operations || threads() == 1;
    const i64 piece = alone ? count : std::min(most_piece, (count + threads() - 1) / threads());
    in_turn((count + piece - 1) / piece,
            [&](i64 number, int thread) { work(piece * number, std::min(count, piece * (number + 1)), thread); });
  }
};

/// Blocks that update tiles of whose values they say nothing.
class CpuUpdates : public CpuBlocks<TileTask, TileResult> {
 protected:
  using CpuBlocks::CpuBlocks;

  /// Copies the input into x, or fills it with zeros, as the task says; values are of type T.
  template <class T>
  void begin_as(const TileTask& task) {
    if (task.input == nullptr && task.empty == 0) return;
    const Matrix<T> x{static_cast<T*>(task.x), task.x_stride};
    const Matrix<const T> input{static_cast<const T*>(task.input), task.input_stride};
    const double operations = static_cast<double>(task.rows) * static_cast<double>(task.columns);
    in_pieces(task.rows, operations, [&](i64 begin, i64 end, int) {
      for (i64 i = begin; i < end; ++i) {
        if (task.input == nullptr) std::fill_n(x.at(i, 0), task.columns, T(0));
        else std::copy_n(input.at(i, 0), task.columns, x.at(i, 0));
      }
    });
  }
};

/// Blocks that update tiles of values of type T.
template <class T>
class CpuTiles : public CpuBlocks<TileTask, TileResult> {
 protected:
  using CpuBlocks::CpuBlocks;

  /// Copies the input into x, if there is an x, and inspects it; calls beside(i) for each row i of x.
  template <class Beside>
  void begin(const TileTask& task, TileResult& result, const Beside& beside) {
    const Found<T> found = look_at_rows(task, [&](i64 i, Found<T>& in_row) {
      const T* row = static_cast<const T*>(task.input) + i * task.input_stride;
      for (i64 j = 0; j < task.columns; ++j) in_row.add(row[j]);
      if (task.x == nullptr) return;
      std::copy_n(row, task.columns, static_cast<T*>(task.x) + i * task.x_stride);
      beside(i);
    });
    if (!found.any) return;
    result.found |= 1;
    result.least = extremes(found.least);
    result.most = extremes(found.most);
  }
  void begin(const TileTask& task, TileResult& result) {
    begin(task, result, [](i64) {});
  }

  /// Looks at a tile that no other update follows: look(i, found) adds what row i of x has in the end.
  template <class Look>
  void end(const TileTask& task, TileResult& result, const Look& look) {
    const Found<T> found = look_at_rows(task, look);
    if (!found.any) return;
    result.found |= 2;
    result.farthest = extremes(found.most);
  }

 private:
  template <class Look>
  Found<T> look_at_rows(const TileTask& task, const Look& look) {
    std::vector<Found<T>> found(static_cast<std::size_t>(threads()));
    const double operations = static_cast<double>(task.rows) * static_cast<double>(task.columns);
    in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
      for (i64 i = begin; i < end; ++i) look(i, found[static_cast<std::size_t>(thread)]);
    });
    Found<T> all;
    for (const Found<T>& part : found) all.add(part);
    return all;
  }
};

/// Products in one semiring, with buffers for packing for each thread.
template <class T>
class Products {
 public:
  Products(int threads, Multiply<T> multiply) : multiply_(multiply), scratch_(static_cast<std::size_t>(threads)) {}

  /// x <- x + u * v; x: rows x columns, u: rows x depth.
  void operator()(Matrix<T> x, Matrix<const T> u, Matrix<const T> v, i64 rows, i64 columns, i64 depth, int thread) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    multiply_({rows, columns, depth, u.data, u.stride, v.data, v.stride, x.data, x.stride, scratch.u.data(),
               scratch.v.data()});
  }

 private:
  struct Scratch {
    values::AlignedArray<T> u{packed_u_size}, v{packed_v_size<T>};
  };

  Multiply<T> multiply_;
  std::vector<Scratch> scratch_;
};

/// The kernel of a semiring for an instruction set; null if it has none for the type.
template <class T>
Multiply<T> multiply_of(device::InstructionSet set, int semiring) {
  const ProductKernels kernels = device::for_instruction_set(set, sse2::product_kernels, avx2::product_kernels,
                                                             avx512::product_kernels)(semiring);
  if constexpr (std::is_same_v<T, float>) return kernels.f32;
  else if constexpr (std::is_same_v<T, double>) return kernels.f64;
  else if constexpr (sizeof(T) == 2) return kernels.w16;
  else if constexpr (sizeof(T) == 4) return kernels.w32;
  else return kernels.w64;
}

/// Calls call(T{}) with the kernels' own type for a type of values.
template <class Call>
auto visit_value(ElementType type, const Call& call) {
  switch (type) {
    case ElementType::i16:
      return call(i16{});
    case ElementType::i32:
      return call(i32{});
    case ElementType::i64:
      return call(i64{});
    case ElementType::f32:
      return call(float{});
    default:
      return call(double{});
  }
}

}  // namespace terrace::recursive
