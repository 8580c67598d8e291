// Gaussian elimination of tiles on the CPU, in place and without pivoting: a tile ends as L below its diagonal, whose
// own diagonal is 1, and U on and above it.
#include <limits>
#include <string>

#include "kernels/recursive/cpu/blas_tiles.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "kernels/recursive/rules/elimination.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

template <class T>
class EliminationOnCpu : public BlasTiles<T> {
  using Base = BlasTiles<T>;
  using Base::in_parts;
  using Base::in_pieces;

 public:
  using Base::Base;

 private:
  TileResult compute(const TileTask& task) override {
    const Matrix<T> x{static_cast<T*>(task.x), task.x_stride};
    const Matrix<const T> u{static_cast<const T*>(task.u), task.u_stride};
    const Matrix<const T> v{static_cast<const T*>(task.v), task.v_stride};
    const double operations =
        static_cast<double>(task.rows) * static_cast<double>(task.columns) * static_cast<double>(task.depth);
    TileResult result{};
    if (task.input != nullptr) Base::begin(task, result);
    useless_ = none;
    switch (task.function) {
      case Function::a:
        eliminate(x, task.rows);
        break;
      case Function::b:
        in_parts(task.columns, operations, [&](i64 begin, i64 end) {
          solve_left({x.at(0, begin), x.stride}, u, task.rows, end - begin);
        });
        break;
      case Function::c:
        in_parts(task.rows, operations, [&](i64 begin, i64 end) {
          solve_right({x.at(begin, 0), x.stride}, v, end - begin, task.columns);
        });
        break;
      default:
        Base::multiply(x, u, v, task.rows, task.columns, task.depth, task.empty != 0 ? T(0) : T(1), T(-1));
    }
    result.negative_pivot = useless_ == none ? -1 : task.first_pivot + useless_;
    return result;
  }

  /// A tile of the diagonal: base_size pivots after another eliminate their own square, the columns below it, the
  /// rows right of it, and the rest below and right of it.
  void eliminate(Matrix<T> x, i64 size) {
    for (i64 k = 0; k < size; k += base_size) {
      const i64 depth = std::min(base_size, size - k), after = k + depth, rest = size - after;
      const Matrix<T> square{x.at(k, k), x.stride}, below{x.at(after, k), x.stride}, beside{x.at(k, after), x.stride};
      eliminate_base(square, depth, k);
      if (rest == 0) return;
      const double operations = static_cast<double>(rest) * static_cast<double>(depth) * static_cast<double>(depth);
      in_pieces(rest, operations, [&](i64 begin, i64 end, int) {
        for (i64 i = begin; i < end; ++i) solve_row(below.at(i, 0), square.read(), depth, k);
      });
      in_pieces(rest, operations, [&](i64 begin, i64 end, int) {
        solve_columns({beside.at(0, begin), x.stride}, square.read(), depth, end - begin);
      });
      Base::multiply({x.at(after, after), x.stride}, below.read(), beside.read(), rest, rest, depth, T(1), T(-1));
    }
  }

  void eliminate_base(Matrix<T> x, i64 size, i64 first) {
    for (i64 k = 0; k < size; ++k) {
      if (!is_useful_pivot(*x.at(k, k))) refuse(first + k);
      for (i64 i = k + 1; i < size; ++i) {
        const T factor = divided(*x.at(i, k), *x.at(k, k), first + k);
        *x.at(i, k) = factor;
        for (i64 j = k + 1; j < size; ++j) *x.at(i, j) -= factor * *x.at(k, j);
      }
    }
  }

  /// x <- the inverse of (the unit lower triangle of l) * x.
  void solve_left(Matrix<T> x, Matrix<const T> l, i64 rows, i64 columns) {
    for (i64 k = 0; k < rows; k += base_size) {
      const i64 depth = std::min(base_size, rows - k), after = k + depth;
      const Matrix<T> part{x.at(k, 0), x.stride};
      solve_columns(part, {l.at(k, k), l.stride}, depth, columns);
      if (after == rows) return;
      blas_multiply({x.at(after, 0), x.stride}, {l.at(after, k), l.stride}, part.read(), rows - after, columns, depth,
                    T(1), T(-1));
    }
  }

  static void solve_columns(Matrix<T> x, Matrix<const T> l, i64 rows, i64 columns) {
    for (i64 k = 0; k < rows; ++k) {
      for (i64 i = k + 1; i < rows; ++i) {
        const T factor = *l.at(i, k);
        for (i64 j = 0; j < columns; ++j) *x.at(i, j) -= factor * *x.at(k, j);
      }
    }
  }

  /// x <- x * the inverse of (the upper triangle of u).
  void solve_right(Matrix<T> x, Matrix<const T> u, i64 rows, i64 columns) {
    for (i64 k = 0; k < columns; k += base_size) {
      const i64 depth = std::min(base_size, columns - k), after = k + depth;
      for (i64 i = 0; i < rows; ++i) solve_row(x.at(i, k), {u.at(k, k), u.stride}, depth, k);
      if (after == columns) return;
      const Matrix<T> part{x.at(0, k), x.stride};
      blas_multiply({x.at(0, after), x.stride}, part.read(), {u.at(k, after), u.stride}, rows, columns - after, depth,
                    T(1), T(-1));
    }
  }

  void solve_row(T* x, Matrix<const T> u, i64 size, i64 first) {
    for (i64 k = 0; k < size; ++k) {
      const T factor = divided(x[k], *u.at(k, k), first + k);
      x[k] = factor;
      for (i64 j = k + 1; j < size; ++j) x[j] -= factor * *u.at(k, j);
    }
  }

  /// A quotient by a pivot, which is refused if it was too small.
  T divided(T value, T pivot, i64 number) {
    const T quotient = value / pivot;
    if (!is_useful_quotient(quotient)) refuse(number);
    return quotient;
  }

  void refuse(i64 pivot) {
    std::atomic_ref<i64> least(useless_);
    for (i64 known = least; pivot < known && !least.compare_exchange_weak(known, pivot);) {
    }
  }

  static constexpr i64 none = std::numeric_limits<i64>::max();

  i64 useless_ = none;  // the first pivot of the tile that is of no use
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_elimination_cpu(const TileSpec& spec, device::ThreadPool& pool) {
  if (spec.value == ElementType::f32) return std::make_unique<EliminationOnCpu<float>>(pool, spec);
  return std::make_unique<EliminationOnCpu<double>>(pool, spec);
}

}  // namespace terrace::recursive
