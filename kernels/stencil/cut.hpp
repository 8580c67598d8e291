// The cut of a pass into parts, slabs and tiles.
//
// Parts are runs of rows of the grid, each made by a stream of slabs of its own that may run on another device. A
// part of one slab makes its steps in place (task.hpp). If it does not begin or end at an end of the grid, it also
// takes a rim there: the rows next to it as they were before the pass, from which it makes again the rows that it
// needs.
//
// If there are more slabs than parts, a slab leaves rows [k h, (k + 1) h) of the grid, which consist of tiles, and
// takes the rows radius * steps below them: from tiles as they were before the pass, of its own part or of a
// neighbour. So slabs that leave no rows come before those that do: as many as make the stream's first rows at all
// levels. Their number is that of the longest pass in all passes; in shorter ones the first of them have no rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stencil {

/// A slab of a pass.
struct Slab {
  std::int64_t part = 0, turn = 0;  // number in its stream
  RowRange rows{};                  // that it leaves; of a slab that leads as if there were some
  bool leads = false;               // true: it leaves no rows
  RowRange above{}, below{};        // its rims; empty unless the slab is the only one of its part
  RowRange part_rows{};
  bool first = false, last = false;  // of its part
};

class Cut {
 public:
  explicit Cut(const StencilSpec& spec)
      : axis_(spec.axis()),
        slab_rows_(spec.slab_rows),
        slab_tiles_(spec.slab_tiles),
        tile_rows_(spec.tile_rows()),
        depth_(spec.radius * spec.pass_steps),
        at_once_(std::min(spec.at_once, spec.pass_steps)),
        slabs_(spec.width() == 0 ? 0 : ceiling(axis_.rows, slab_rows_)),
        parts_(std::max<std::int64_t>(1, std::min(spec.parts, slabs_))),
        blocks_(slabs_ == 0 ? 0 : first_of(parts_)) {}

  /// Slabs that leave rows.
  std::int64_t slabs() const { return slabs_; }
  std::int64_t parts() const { return parts_; }
  /// Slabs of a pass.
  std::int64_t blocks() const { return blocks_; }
  /// True if one slab is the whole grid.
  bool whole() const { return slabs_ <= 1; }
  /// True if a part has several slabs, which follow one another; else each part is one slab.
  bool streams() const { return slabs_ > parts_; }
  /// True if parts have rims.
  bool has_rims() const { return !streams() && parts_ > 1; }

  /// Tiles of the grid.
  std::int64_t tiles() const { return slabs_ == 0 ? 0 : ceiling(axis_.rows, tile_rows_); }
  /// The rows of a tile.
  RowRange tile(std::int64_t number) const {
    return {number * tile_rows_, std::min<std::int64_t>(axis_.rows, (number + 1) * tile_rows_)};
  }
  /// The part whose rows a row is one of.
  std::int64_t part_of_row(std::int64_t row) const {
    const std::int64_t slab = row / slab_rows_;
    std::int64_t part = slab * parts_ / slabs_;
    while (slabs_of(part).end <= slab) ++part;
    return part;
  }
  RowRange rows_of(std::int64_t part) const {
    const RowRange slabs = slabs_of(part);
    return {slabs.begin * slab_rows_, std::min<std::int64_t>(axis_.rows, slabs.end * slab_rows_)};
  }
  /// Slabs of a part in a pass.
  std::int64_t turns_of(std::int64_t part) const { return leads_of(part) + slabs_of(part).count(); }
  /// The most slabs of a part in a pass.
  std::int64_t most_turns() const {
    std::int64_t most = 0;
    for (std::int64_t part = 0; part < parts_ && slabs_ > 0; ++part) most = std::max(most, turns_of(part));
    return most;
  }
  /// Slabs of a part that leave no rows.
  std::int64_t leads_of(std::int64_t part) const {
    if (!streams()) return 0;
    // The first rows of the stream lie above those of the part by the depth of the pass, unless the grid begins
    // there.
    const bool low_end = axis_.is_low_end(rows_of(part).begin);
    return ceiling(low_end ? depth_ : 2 * depth_, slab_rows_);
  }
  /// The rims of a part in a pass of so many steps.
  RowRange rim_above(std::int64_t part, std::int64_t steps) const {
    const RowRange rows = rows_of(part);
    if (!has_rims()) return {rows.begin, rows.begin};
    return {before_levels(axis_, rows, steps).begin, rows.begin};
  }
  RowRange rim_below(std::int64_t part, std::int64_t steps) const {
    const RowRange rows = rows_of(part);
    if (!has_rims()) return {rows.end, rows.end};
    return {rows.end, before_levels(axis_, rows, steps).end};
  }

  std::int64_t part_of(std::int64_t block) const {
    std::int64_t part = 0;
    while (first_of(part + 1) <= block) ++part;
    return part;
  }
  /// The number of a slab in its pass.
  std::int64_t block_of(const Slab& slab) const { return first_of(slab.part) + slab.turn; }
  /// A slab of a pass of so many steps. @param block below blocks()
  Slab slab(std::int64_t block, std::int64_t steps) const {
    Slab slab;
    slab.part = part_of(block);
    slab.turn = block - first_of(slab.part);
    slab.part_rows = rows_of(slab.part);
    const std::int64_t leads = leads_of(slab.part), begin = slabs_of(slab.part).begin + slab.turn - leads;
    slab.rows = {begin * slab_rows_, std::min<std::int64_t>((begin + 1) * slab_rows_, slab.part_rows.end)};
    slab.leads = slab.turn < leads;
    slab.first = slab.turn == 0;
    slab.last = slab.turn + 1 == turns_of(slab.part);
    slab.above = rim_above(slab.part, steps);
    slab.below = rim_below(slab.part, steps);
    return slab;
  }

  /// The descriptor of a slab of a pass, without pointers and pieces. @param step steps made before the pass
  StencilTask task_of(const Slab& slab, std::int64_t step, std::int64_t steps) const {
    StencilTask task{};
    task.work = Work::advance;
    task.first = slab.first;
    task.last = slab.last;
    task.whole = whole();
    task.turn = slab.turn;
    task.step = step;
    task.steps = steps;
    task.row_begin = slab.rows.begin + steps * axis_.radius;
    task.row_end = slab.rows.end + steps * axis_.radius;
    task.part_begin = slab.part_rows.begin;
    task.part_end = slab.part_rows.end;
    return task;
  }
  /// The rows that a slab of a stream takes, as they were before the pass; on a periodic axis perhaps beyond the
  /// grid's ends.
  RowRange taken_rows(const Slab& slab, std::int64_t steps) const {
    return level_rows(axis_, task_of(slab, 0, steps), 0);
  }
  /// The rows that a slab leaves, of the level after the pass.
  RowRange result_rows(const Slab& slab) const {
    return slab.leads ? RowRange{slab.part_rows.begin, slab.part_rows.begin} : slab.rows;
  }
  /// Rows that a slab makes, of all levels together, but for those that its part makes again beside a neighbour.
  std::int64_t made_rows(const Slab& slab, std::int64_t steps) const {
    if (!streams()) return slab.rows.count() * steps;
    const StencilTask task = task_of(slab, 0, steps);
    std::int64_t rows = 0;
    for (std::int64_t level = 1; level <= steps; ++level) {
      rows += common_rows(level_rows(axis_, task, level), slab.part_rows).count();
    }
    return rows;
  }
  /// The last slab of a pass that takes rows of a tile, of those of a stream.
  std::int64_t last_to_take(std::int64_t tile_number, std::int64_t steps) const {
    const RowRange rows = tile(tile_number);
    for (std::int64_t part = parts_ - 1; part >= 0; --part) {
      const RowRange part_rows = rows_of(part), stream = before_levels(axis_, part_rows, steps);
      // The last row of the tile in the stream.
      std::int64_t row = std::min<std::int64_t>(rows.end, stream.end) - 1;
      if (axis_.wraps) {
        const std::int64_t turns = floor_of(stream.end - 1 - rows.begin, axis_.rows);
        row = std::min<std::int64_t>(rows.end + turns * axis_.rows, stream.end) - 1;
      }
      const bool there = row >= stream.begin && (axis_.wraps || row >= rows.begin);
      if (!there) continue;
      const std::int64_t first = slabs_of(part).begin - leads_of(part);
      const std::int64_t slab = floor_of(row - steps * axis_.radius, slab_rows_);
      return first_of(part) + std::min(slab - first, turns_of(part) - 1);
    }
    return 0;
  }

  /// The rows of constant arrays that a slab reads, on a periodic axis perhaps beyond the grid's ends.
  RowRange array_rows(const Slab& slab, std::int64_t steps) const {
    if (whole()) return slab.rows;
    const RowRange stream = before_levels(axis_, slab.part_rows, steps);
    if (!streams()) return stream;
    // A launch of several levels makes rows above those of its last one again: at most as many as it reads above
    // them.
    const std::int64_t above = at_once_ * axis_.radius;
    return common_rows({slab.rows.begin - above, slab.rows.end + steps * axis_.radius}, stream);
  }
  /// Rows of a tile of a constant array: so many that a slab takes few of them.
  std::int64_t array_tile_rows() const {
    constexpr std::int64_t most_tiles = 3;  // with another one at either end: Rows has room for six pieces
    return streams() ? std::max<std::int64_t>(slab_rows_, ceiling(most_array_rows(), most_tiles)) : slab_rows_;
  }
  /// The most tiles of a constant array that a slab reads.
  std::int64_t most_array_tiles() const {
    if (whole()) return slabs_;
    const std::int64_t height = array_tile_rows(), ends = axis_.wraps ? 2 : 1;
    return std::min<std::int64_t>(ceiling(axis_.rows, height), ceiling(most_array_rows(), height) + ends);
  }
  /// True if rims, and the rows of so many constant arrays that a slab reads, are so few pieces that Rows has room
  /// for them.
  bool has_room(int arrays) const {
    const bool repeats = arrays > 0 && axis_.wraps && most_array_rows() > axis_.rows;
    return whole() || (!repeats && (streams() || depth_ <= slab_rows_));
  }
  /// Calls visit(rows, shift) for rows that may lie beyond the ends of a periodic grid: rows inside it, and the
  /// number to add to them.
  template <class Visit>
  void for_each_piece(RowRange rows, const Visit& visit) const {
    for (std::int64_t begin = rows.begin; begin < rows.end;) {
      const std::int64_t extent = axis_.rows, turn = floor_of(begin, extent);
      const std::int64_t end = std::min<std::int64_t>(rows.end, (turn + 1) * extent);
      visit(RowRange{begin - turn * extent, end - turn * extent}, turn * extent);
      begin = end;
    }
  }

  /// The most rows of one level that a slab makes. @param steps of a pass
  std::int64_t most_level_rows(std::int64_t steps) const {
    if (streams()) return slab_rows_;
    std::int64_t most = 0;
    for (std::int64_t part = 0; part < parts_ && slabs_ > 0; ++part) {
      most = std::max<std::int64_t>(most, whole() ? axis_.rows : before_levels(axis_, rows_of(part), steps).count());
    }
    return most;
  }

 private:
  static std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
  /// The most rows of constant arrays that a slab reads, unless it is the whole grid.
  std::int64_t most_array_rows() const {
    return slab_rows_ + (streams() ? depth_ + at_once_ * axis_.radius : 2 * depth_);
  }
  /// Slabs of a part that leave rows, half-open.
  RowRange slabs_of(std::int64_t part) const { return {part * slabs_ / parts_, (part + 1) * slabs_ / parts_}; }
  /// The number of a part's first slab in a pass.
  std::int64_t first_of(std::int64_t part) const {
    const std::int64_t leads = part == 0 ? 0 : leads_of(0) + (part - 1) * leads_of(parts_ - 1);
    return slabs_of(part).begin + leads;
  }

  Axis axis_;
  std::int64_t slab_rows_, slab_tiles_, tile_rows_, depth_, at_once_, slabs_, parts_, blocks_;
};

}  // namespace terrace::stencil
