// A piece of a grid of one dimension: a few steps of consecutive cells, in cache.
//
// Rows of such a grid are single cells. They are taken as one row along the last axis, and the offsets of terms with
// them.
#pragma once

#include "kernels/stencil/cpu/tile.hpp"

namespace terrace::stencil {

/// A worker with the memory of one thread.
template <class T>
class LineWorker {
 public:
  explicit LineWorker(const CpuPlan<T>& plan);

  /// Makes cells of a sub-pass. @return false if it left early
  bool make(const SubPass& pass, RowRange cells, const std::function<bool()>& leave);
  /// The cells that were counted since the last call.
  NotFinite take_not_finite() { return std::exchange(not_finite_, {}); }
  static std::int64_t values(const StencilSpec& spec, const TileSizes& sizes);

 private:
  T* line(i64 number) { return lines_.data() + number * pitch_; }
  /// The cells of a field at a level.
  T* level_line(i64 level, int field) { return line(level % 2 * plan_.fields + field); }
  void take(const SubPass& pass, RowRange halo);
  void make_points(const SubPass& pass, i64 level, RowRange range, RowRange cells, RowRange halo);
  void give(const SubPass& pass, int field, RowRange cells, RowRange halo);

  const CpuPlan<T>& plan_;
  i64 pitch_;
  values::AlignedArray<T> lines_;  // two of each field, and one of each array
  std::vector<const T*> around_, arrays_, terms_;
  std::unique_ptr<WrittenRows<T>> written_;
  RowWork<T> work_{};
  NotFinite not_finite_;
};

extern template class LineWorker<float>;
extern template class LineWorker<double>;

}  // namespace terrace::stencil
