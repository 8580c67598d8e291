// The cut of a pass into parts, slabs and tiles.
//
// A slab has rows [k h, (k + 1) h) of the grid, and consists of tiles. The next slab needs the last one of them
// alone, and finishes it: the others can leave the device before. Parts are runs of slabs, each a stream of its own
// that may run on another device. A part that does not begin or end at an end of the grid also takes a rim there: the
// rows next to it as they were before the pass, from which it makes again the rows that it needs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// A slab of a pass.
struct Slab {
  std::int64_t number = 0, part = 0;
  RowRange rows{};            // of its tiles
  RowRange above{}, below{};  // its rims; empty unless it is the first or the last of its part
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
        slabs_(spec.width() == 0 ? 0 : (axis_.rows + slab_rows_ - 1) / slab_rows_),
        parts_(std::max<std::int64_t>(1, std::min(spec.parts, slabs_))) {}

  std::int64_t slabs() const { return slabs_; }
  std::int64_t parts() const { return parts_; }
  /// True if one slab is the whole grid.
  bool whole() const { return slabs_ <= 1; }
  /// True if parts have rims.
  bool has_rims() const { return slabs_ > 1 && (parts_ > 1 || axis_.wraps); }

  /// Tiles of the grid.
  std::int64_t tiles() const { return slabs_ == 0 ? 0 : (axis_.rows + tile_rows_ - 1) / tile_rows_; }
  /// The rows of a tile.
  RowRange tile(std::int64_t number) const {
    return {number * tile_rows_, std::min<std::int64_t>(axis_.rows, (number + 1) * tile_rows_)};
  }
  /// Numbers of the tiles of a slab, half-open.
  RowRange tiles_of(std::int64_t slab) const {
    return {slab * slab_tiles_, std::min<std::int64_t>(tiles(), (slab + 1) * slab_tiles_)};
  }
  std::int64_t slab_of(std::int64_t tile) const { return tile / slab_tiles_; }
  RowRange rows_of_slab(std::int64_t slab) const {
    return {slab * slab_rows_, std::min<std::int64_t>(axis_.rows, (slab + 1) * slab_rows_)};
  }
  /// Slabs of a part, half-open.
  RowRange slabs_of(std::int64_t part) const { return {part * slabs_ / parts_, (part + 1) * slabs_ / parts_}; }
  RowRange rows_of(std::int64_t part) const {
    const RowRange slabs = slabs_of(part);
    return {rows_of_slab(slabs.begin).begin, rows_of_slab(slabs.end - 1).end};
  }
  /// The rims of a part in a pass of so many steps.
  RowRange rim_above(std::int64_t part, std::int64_t steps) const {
    const RowRange rows = rows_of(part);
    if (whole()) return {rows.begin, rows.begin};
    return {before_levels(axis_, rows, steps).begin, rows.begin};
  }
  RowRange rim_below(std::int64_t part, std::int64_t steps) const {
    const RowRange rows = rows_of(part);
    if (whole()) return {rows.end, rows.end};
    return {rows.end, before_levels(axis_, rows, steps).end};
  }
  Slab slab(std::int64_t number, std::int64_t steps) const {
    Slab slab;
    slab.number = number;
    slab.part = part_of(number);
    const RowRange slabs = slabs_of(slab.part);
    slab.rows = rows_of_slab(number);
    slab.part_rows = rows_of(slab.part);
    slab.first = number == slabs.begin;
    slab.last = number + 1 == slabs.end;
    if (slab.first) slab.above = rim_above(slab.part, steps);
    if (slab.last) slab.below = rim_below(slab.part, steps);
    return slab;
  }
  std::int64_t part_of(std::int64_t slab) const {
    std::int64_t part = slab * parts_ / slabs_;
    while (slabs_of(part).end <= slab) ++part;
    return part;
  }

  /// The descriptor of a slab of a pass, without pointers and pieces. @param step steps made before the pass
  StencilTask task_of(const Slab& slab, std::int64_t step, std::int64_t steps) const {
    StencilTask task{};
    task.work = Work::advance;
    task.first = slab.first;
    task.last = slab.last;
    task.whole = whole();
    task.turn = slab.number - slabs_of(slab.part).begin;
    task.step = step;
    task.steps = steps;
    task.row_begin = slab.first ? std::min(slab.above.begin, slab.rows.begin) : slab.rows.begin;
    task.row_end = slab.last ? std::max(slab.below.end, slab.rows.end) : slab.rows.end;
    task.part_begin = slab.part_rows.begin;
    task.part_end = slab.part_rows.end;
    return task;
  }
  /// The rows that a slab leaves, of the level after the pass.
  RowRange result_rows(const Slab& slab, std::int64_t steps) const {
    const RowRange rows = level_rows(axis_, task_of(slab, 0, steps), steps);
    return {std::max<std::int64_t>(rows.begin, slab.part_rows.begin), rows.end};
  }

  /// The rows of constant arrays that a slab reads, on a periodic axis perhaps beyond the grid's ends.
  RowRange array_rows(const Slab& slab, std::int64_t steps) const {
    if (whole()) return slab.rows;
    const StencilTask task = task_of(slab, 0, steps);
    const RowRange stream = before_levels(axis_, slab.part_rows, steps);
    const std::int64_t ahead = (steps + std::min<std::int64_t>(steps, most_steps_at_once)) * axis_.radius;
    return {std::max<std::int64_t>(stream.begin, task.row_begin - ahead), task.row_end};
  }
  /// The most tiles of a constant array, as high as a slab, that a slab reads.
  std::int64_t most_array_tiles(std::int64_t steps) const {
    std::int64_t most = 0;
    for_each_kind([&](std::int64_t number) {
      std::int64_t tiles = 0;
      for_each_piece(array_rows(slab(number, steps), steps), [&](RowRange rows, std::int64_t) {
        tiles += (rows.end - 1) / slab_rows_ - rows.begin / slab_rows_ + 1;
      });
      most = std::max(most, std::min(tiles, slabs_));
    });
    return most;
  }
  /// Calls visit(rows, shift) for rows that may lie beyond the ends of a periodic grid: rows inside it, and the
  /// number to add to them.
  template <class Visit>
  void for_each_piece(RowRange rows, const Visit& visit) const {
    for (std::int64_t begin = rows.begin; begin < rows.end;) {
      const std::int64_t extent = axis_.rows;
      const std::int64_t turn = begin >= 0 ? begin / extent : -((extent - 1 - begin) / extent);
      const std::int64_t end = std::min<std::int64_t>(rows.end, (turn + 1) * extent);
      visit(RowRange{begin - turn * extent, end - turn * extent}, turn * extent);
      begin = end;
    }
  }

  /// The most rows of one level that a slab holds: the last slab of a stream ends where the stream does, at every
  /// level. @param steps of a pass
  std::int64_t most_level_rows(std::int64_t steps) const {
    if (whole()) return axis_.rows;
    std::int64_t most = 0;
    for_each_kind([&](std::int64_t number) {
      const StencilTask task = task_of(slab(number, steps), 0, steps);
      for (const std::int64_t level : {std::int64_t{0}, steps}) {
        most = std::max<std::int64_t>(most, level_rows(axis_, task, level).count());
      }
    });
    return most;
  }

 private:
  /// Calls visit(number) for slabs among which those are that need the most: of each part the first, the next ones
  /// and the last ones.
  template <class Visit>
  void for_each_kind(const Visit& visit) const {
    for (std::int64_t part = 0; part < parts_ && slabs_ > 0; ++part) {
      const RowRange slabs = slabs_of(part);
      constexpr std::int64_t ends = 4;
      for (std::int64_t number = slabs.begin; number < slabs.end; ++number) {
        if (number < slabs.begin + ends || number >= slabs.end - ends) visit(number);
        else number = slabs.end - ends - 1;
      }
    }
  }

  Axis axis_;
  std::int64_t slab_rows_, slab_tiles_, tile_rows_, slabs_, parts_;
};

}  // namespace terrace::stencil
