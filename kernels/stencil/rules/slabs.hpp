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

/// The rows of a level that a slab holds before it makes the next levels, without those of the slab above.
/// @param level 0 ... task.steps
TERRACE_HOST_DEVICE constexpr RowRange level_rows(const Axis& axis, const StencilTask& task, i64 level) {
  const RowRange stream = before_levels(axis, {task.part_begin, task.part_end}, task.steps - level);
  return {task.first != 0 ? stream.begin : task.row_begin - level * axis.radius,
          task.last != 0 ? stream.end : task.row_end - level * axis.radius};
}

/// The rows of `level` from which a kernel makes `levels` further ones, those of the slab above included. Of a whole
/// periodic grid also the rows beyond its ends, to be read modulo its extent. Without wrapping, none is below 0.
TERRACE_HOST_DEVICE constexpr RowRange input_rows(const Axis& axis, const StencilTask& task, i64 level, i64 levels) {
  if (task.whole != 0) return before_levels(axis, {0, axis.rows}, levels);
  const RowRange own = level_rows(axis, task, level);
  const i64 begin = own.begin - 2 * levels * axis.radius;
  return {task.first != 0 ? own.begin : axis.wraps || begin > 0 ? begin : 0, own.end};
}

/// The rows of `level` that a slab takes from the slab above to make `levels` further ones. Empty in the first slab.
/// Rows below 0 of a grid that does not wrap are not there; they keep their places in the carry.
TERRACE_HOST_DEVICE constexpr RowRange carried_rows(const Axis& axis, const StencilTask& task, i64 level,
                                                    i64 levels) {
  const i64 end = task.row_begin - level * axis.radius;
  return {task.first != 0 ? end : end - 2 * levels * axis.radius, end};
}

/// The rows of a carry: 2 * radius for each level of a pass, and the places of those that a kernel writes at once
/// while it reads what the slab above handed on (cuda/common/launches.hpp).
constexpr i64 carry_rows(i64 radius, i64 steps) {
  return 2 * radius * (steps + (steps <= most_steps_at_once ? steps : most_steps_at_once + 1));
}

/// The most tiles of a slab: Lines (cuda/common/lines.hpp) has room for so many.
inline constexpr i64 most_slab_tiles = 3;

/// The least rows of a slab's last tile, unless the slab is the only one of its stream: the rows that the slab hands
/// on are in that tile, the result of the next one begins in it, and so do all rows whose constant arrays that one
/// reads: a kernel that makes `depth` steps at a time makes radius * (depth - 1) rows above its result again.
/// @param depth the most steps that a kernel makes at a time
constexpr i64 least_tile_rows(i64 radius, i64 steps, i64 depth) {
  const i64 at_once = depth < steps ? depth : steps;
  const i64 handed_on = 2 * radius * at_once, late = radius * (steps + at_once - 1);
  return handed_on > late ? handed_on : late > 1 ? late : 1;
}

}  // namespace terrace::stencil
