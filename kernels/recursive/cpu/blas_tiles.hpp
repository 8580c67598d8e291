// The common base of updates of tiles by sums of products on the CPU: OpenBLAS computes parts of a tile, each on a
// thread of its own.
#pragma once

#include "kernels/recursive/blas.hpp"
#include "kernels/recursive/cpu/blocks.hpp"
#include "kernels/recursive/measured.hpp"

namespace terrace::recursive {

/// Blocks of real numbers. How OpenBLAS is called fixes bits, so that tiles are cut as their spec says and not by the
/// threads that are there.
template <class T>
class BlasTiles : public CpuTiles<T> {
 public:
  BlasTiles(device::ThreadPool& pool, const TileSpec& spec) : CpuTiles<T>(pool), cut_for_(spec.threads) {
    prepare_blas(pool.size());
  }

 protected:
  /// Calls work(begin, end) for parts of [0, count).
  template <class Work>
  void in_parts(i64 count, double operations, const Work& work) {
    const i64 parts = parts_for(operations);
    this->in_turn(parts, [&](i64 number, int) {
      const i64 begin = cut(count, parts, number), end = cut(count, parts, number + 1);
      if (begin < end) work(begin, end);
    });
  }

  /// x <- kept * x + sign * u * v.
  void multiply(Matrix<T> x, Matrix<const T> u, Matrix<const T> v, i64 rows, i64 columns, i64 depth, T kept, T sign) {
    const i64 parts =
        parts_for(static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth));
    const i64 few = divisor_below_root(parts), down = rows < columns ? few : parts / few, across = parts / down;
    this->in_turn(parts, [&](i64 number, int) {
      const i64 i = cut(rows, down, number / across), i_end = cut(rows, down, number / across + 1);
      const i64 j = cut(columns, across, number % across), j_end = cut(columns, across, number % across + 1);
      if (i == i_end || j == j_end) return;
      blas_multiply({x.at(i, j), x.stride}, {u.at(i, 0), u.stride}, {v.at(0, j), v.stride}, i_end - i, j_end - j,
                    depth, kept, sign);
    });
  }

 private:
  i64 parts_for(double operations) const { return operations <= this->few_operations ? 1 : cut_for_; }

  static i64 divisor_below_root(i64 number) {
    i64 found = 1;
    for (i64 divisor = 2; divisor * divisor <= number; ++divisor) {
      if (number % divisor == 0) found = divisor;
    }
    return found;
  }

  /// The first element of part `number` of [0, count).
  static i64 cut(i64 count, i64 parts, i64 number) {
    constexpr i64 step = measured::Blas::cut_step;
    return number == parts ? count : count * number / parts / step * step;
  }

  i64 cut_for_;
};

}  // namespace terrace::recursive
