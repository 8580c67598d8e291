// Places of the best cells of lanes. Included by files that define TERRACE_ISA and are compiled for it.
#pragma once

#include "kernels/pairs/cpu/saturating.hpp"

namespace terrace::pairs::TERRACE_ISA {
namespace {

/// A number from 0 to 2^16 - 1 of each lane, in values of T: of bytes the upper half and the lower one. They are
/// shifted, so that they compare as signed values.
template <class T>
struct LaneNumber {
  static constexpr int parts = sizeof(T) == 1 ? 2 : 1;
  static constexpr i64 shift = sizeof(T) == 1 ? 128 : sizeof(T) == 2 ? 32768 : 0;

  Pack<T> part[parts];

  static LaneNumber of(i64 number) {
    if constexpr (parts == 2) return {{Pack<T>((number >> 8) - shift), Pack<T>((number & 255) - shift)}};
    else return {{Pack<T>(number - shift)}};
  }
  i64 at(i64 lane) const {
    if constexpr (parts == 2) return (part[0].v[lane] + shift) << 8 | (part[1].v[lane] + shift);
    else return part[0].v[lane] + shift;
  }
};

/// The lanes in which a < b.
template <class T>
TERRACE_HOST_DEVICE auto less(const LaneNumber<T>& a, const LaneNumber<T>& b) {
  if constexpr (LaneNumber<T>::parts == 2) {
    return (a.part[0].v < b.part[0].v) | ((a.part[0].v == b.part[0].v) & (a.part[1].v < b.part[1].v));
  } else {
    return a.part[0].v < b.part[0].v;
  }
}

/// Rows and columns of the best cells so far: ties go to the smallest row, then to the smallest column. Cells come by
/// blocks of columns, in each by rows.
template <class T>
class LaneEnds {
  using V = Pack<T>;
  static constexpr i64 none = sizeof(T) == 4 ? (i64{1} << 31) - 1 : (i64{1} << 16) - 1;

 public:
  /// Takes cells (row, column + k) that are as good as the best ones, or better. @return the best scores
  template <int block>
  [[gnu::noinline]] V look(V best, const V (&cells)[block], i64 row, i64 column) {
    const auto here = LaneNumber<T>::of(row);
    for (int k = 0; k < block; ++k) {
      const auto taken = (cells[k].v > best.v) | ((cells[k].v == best.v) & less(here, row_));
      const auto there = LaneNumber<T>::of(column + k);
      for (int part = 0; part < LaneNumber<T>::parts; ++part) {
        row_.part[part].v = taken ? here.part[part].v : row_.part[part].v;
        column_.part[part].v = taken ? there.part[part].v : column_.part[part].v;
      }
      best = maximum(best, cells[k]);
    }
    return best;
  }

  bool has(i64 lane) const { return row_.at(lane) != none; }
  /// Letters consumed.
  i32 row(i64 lane) const { return static_cast<i32>(row_.at(lane) + 1); }
  i32 column(i64 lane) const { return static_cast<i32>(column_.at(lane) + 1); }

 private:
  LaneNumber<T> row_ = LaneNumber<T>::of(none), column_ = LaneNumber<T>::of(0);
};

}  // namespace
}  // namespace terrace::pairs::TERRACE_ISA
