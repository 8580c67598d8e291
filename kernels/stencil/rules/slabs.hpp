// The rows of slabs and levels: shared by plans, the CPU and CUDA.
#pragma once

#include "kernels/stencil/task.hpp"

namespace terrace::stencil {

/// Axis 0 as far as streams of slabs see it.
struct Axis {
  i64 rows;    // extent
  i64 radius;  // rows by which a level ends before the level below it
  bool wraps;  // true: rows continue beyond both ends (periodic)

  TERRACE_HOST_DEVICE constexpr bool is_low_end(i64 begin) const { return !wraps && begin <= 0; }
  TERRACE_HOST_DEVICE constexpr bool is_high_end(i64 end) const { return !wraps && end >= rows; }
};

/// The most steps that a kernel makes at a time: plans give slabs and constant arrays the rows for so many.
inline constexpr i64 most_steps_at_once = 32;

/// Half-open rows.
struct RowRange {
  i64 begin, end;

  TERRACE_HOST_DEVICE constexpr i64 count() const { return end > begin ? end - begin : 0; }
};

/// The rows from which `rows` can be made in `levels` steps.
TERRACE_HOST_DEVICE constexpr RowRange before_levels(const Axis& axis, RowRange rows, i64 levels) {
  const i64 begin = rows.begin - levels * axis.radius, end = rows.end + levels * axis.radius;
  return {axis.wraps || begin > 0 ? begin : 0, axis.wraps || end < axis.rows ? end : axis.rows};
}

/// True if the slab is the only one of its stream.
TERRACE_HOST_DEVICE constexpr bool is_alone(const StencilTask& task) { return task.first != 0 && task.last != 0; }

/// The rows of a level that a stream makes. @param level 0 ... task.steps
TERRACE_HOST_DEVICE constexpr RowRange stream_rows(const Axis& axis, const StencilTask& task, i64 level) {
  return before_levels(axis, {task.part_begin, task.part_end}, task.steps - level);
}

/// The rows of both; empty, it begins where the later one does.
TERRACE_HOST_DEVICE constexpr RowRange common_rows(RowRange a, RowRange b) {
  const i64 begin = a.begin > b.begin ? a.begin : b.begin, end = a.end < b.end ? a.end : b.end;
  return {begin, end > begin ? end : begin};
}

/// The rows of a level that a slab adds to those of the slabs above. @param level 0 ... task.steps
TERRACE_HOST_DEVICE constexpr RowRange level_rows(const Axis& axis, const StencilTask& task, i64 level) {
  const RowRange stream = stream_rows(axis, task, level);
  if (is_alone(task)) return stream;
  const i64 up = level * axis.radius;
  return common_rows({task.row_begin - up, task.row_end - up}, stream);
}

/// The places of the rows of `level` that a slab takes from the slab above to make `levels` further ones; some may be
/// beyond the ends of the stream, and not there. Not of a slab that is alone.
TERRACE_HOST_DEVICE constexpr RowRange carried_rows(const Axis& axis, const StencilTask& task, i64 level,
                                                    i64 levels) {
  const i64 end = task.row_begin - level * axis.radius;
  return {end - 2 * levels * axis.radius, end};
}
/// The places of those that it hands on likewise.
TERRACE_HOST_DEVICE constexpr RowRange handed_on_rows(const Axis& axis, const StencilTask& task, i64 level,
                                                      i64 levels) {
  const i64 end = task.row_end - level * axis.radius;
  return {end - 2 * levels * axis.radius, end};
}

/// The rows of `level` from which a kernel makes `levels` further ones, those of the slab above included. Of a whole
/// periodic grid also the rows beyond its ends, to be read modulo its extent. Without wrapping, none is below 0.
TERRACE_HOST_DEVICE constexpr RowRange input_rows(const Axis& axis, const StencilTask& task, i64 level, i64 levels) {
  if (task.whole != 0) return before_levels(axis, {0, axis.rows}, levels);
  const RowRange stream = stream_rows(axis, task, level);
  if (is_alone(task)) return stream;
  return common_rows({carried_rows(axis, task, level, levels).begin, task.row_end - level * axis.radius}, stream);
}

/// The memory of rows as that of the rows so many below them: a slab has levels in between where it leaves its last
/// one.
TERRACE_HOST_DEVICE constexpr Rows lowered(Rows rows, i64 by) {
  for (i32 piece = 0; piece < rows.pieces; ++piece) rows.begin[piece] += by;
  rows.end += by;
  return rows;
}

/// The rows of a carry: 2 * radius for each level of a pass, and the places of those that a kernel writes at once
/// while it reads what the slab above handed on (cuda/common/launches.hpp).
/// @param at_once the most steps that a kernel makes at a time
constexpr i64 carry_rows(i64 radius, i64 steps, i64 at_once) {
  return 2 * radius * (steps + (steps < 2 * at_once ? steps : 2 * at_once));
}

/// The most tiles of a slab: Lines (cuda/common/lines.hpp) has room for so many.
inline constexpr i64 most_slab_tiles = 3;

/// The least rows of a slab that is not alone in its stream: it hands on rows of its own only.
/// @param levels that a kernel makes at a time
constexpr i64 least_slab_rows(i64 radius, i64 levels) { return 2 * radius * levels; }

}  // namespace terrace::stencil
