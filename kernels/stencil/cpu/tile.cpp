#include "kernels/stencil/cpu/tile.hpp"

#include <algorithm>
#include <cstring>

namespace terrace::stencil {

template <class T>
std::int64_t TileWorker<T>::values_of_rings(const StencilSpec& spec, const TileSizes& sizes) {
  const i64 middle = spec.rank == 3 ? spec.radius : 0;
  return spec.fields() * sizes.depth * sizes.ring_rows(spec.radius, spec.rank) * sizes.halo_height(middle) *
         sizes.pitch(spec.radius);
}

template <class T>
TileWorker<T>::TileWorker(const CpuPlan<T>& plan)
    : plan_(plan),
      rings_(values_of_rings(plan.spec, plan.sizes)),
      outside_(4 * plan.sizes.pitch(plan.radius)),
      around_(static_cast<std::size_t>(plan.fields * (2 * plan.radius + 1) * (2 * plan.middle + 1))),
      arrays_(static_cast<std::size_t>(plan.spec.arrays)),
      taken_(static_cast<std::size_t>(plan.fields * plan.rows_of_ring())),
      block_around_(
          static_cast<std::size_t>(plan.fields * (2 * plan.radius + 1) * (2 * plan.radius + most_block_rows))),
      block_arrays_(static_cast<std::size_t>(plan.spec.arrays * most_block_rows)),
      block_made_(static_cast<std::size_t>(plan.fields * most_block_rows)),
      terms_(plan.terms),
      written_(plan.written_rows()) {
  pitch_ = plan.sizes.pitch(plan.radius);
  height_ = plan.sizes.halo_height(plan.middle);
  ring_rows_ = plan.rows_of_ring();
  const std::array<Faces, most_rank>& faces = plan.spec.faces;
  const double values[] = {faces[0].low_value, faces[0].high_value, faces[1].low_value, faces[1].high_value};
  for (int side = 0; side < 4; ++side) std::fill_n(&outside_[side * pitch_], pitch_, static_cast<T>(values[side]));
  work_.around = around_.data();
  work_.arrays = arrays_.data();
  work_.radius = plan.radius;
  work_.middle = plan.middle;
  work_.faces = faces[2];
  work_.additions = plan.additions;
  work_.constants = plan.constants.data();
  work_.terms = terms_.data();
  work_.written = written_.get();
  for (std::size_t axis = 0; axis < 3; ++axis) work_.position.extent[axis] = plan.spec.extents[axis];
  block_ = {block_around_.data(), block_made_.data(),   block_arrays_.data(), 0, 0,
            &plan.additions,      plan.constants.data()};
}

/// A range of cells and the cells within `levels` steps of it; on axes that are not periodic those of the grid.
template <class T>
RowRange TileWorker<T>::grown(RowRange range, i64 levels, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  const i64 reach = levels * (axis == 1 ? plan_.middle : plan_.radius);
  const RowRange all{range.begin - reach, range.end + reach};
  if (plan_.spec.faces[a].low == Face::periodic) return all;
  return {std::max<i64>(0, all.begin), std::min<i64>(plan_.spec.extents[a], all.end)};
}

template <class T>
void TileWorker<T>::begin(const SubPass& pass, const TileRange& tile) {
  pass_ = &pass;
  tile_ = tile;
  halo_.rows = before_levels(plan_.axis, tile.rows, pass.depth);
  halo_.middle = grown(tile.middle, pass.depth, 1);
  halo_.last = grown(tile.last, pass.depth, 2);
  copies_ = halo_.last.begin < 0 || halo_.last.end > plan_.spec.extents[2];
  row_begin_ = halo_.last.begin & -16;  // so that rows lie as in grids whose width is a multiple of 16
  for (int side = 0; side < 4; ++side) work_.outside[side] = &outside_[side * pitch_] - row_begin_;
}

/// The place of a row of the halo in rings.
template <class T>
i64 TileWorker<T>::slot_of(i64 row) const {
  return static_cast<device::u32>(row - halo_.rows.begin) % static_cast<device::u32>(ring_rows_);
}

template <class T>
T* TileWorker<T>::ring_row(i64 level, int field, i64 slot, i64 y) {
  const i64 plane = (level * plan_.fields + field) * ring_rows_ + slot;
  return rings_.data() + (plane * height_ + y - halo_.middle.begin) * pitch_ - row_begin_;
}

/// Takes a row of the input; rows of tiles that go on beyond the ends of a periodic axis are copied together.
template <class T>
void TileWorker<T>::take_row(i64 row) {
  const i64 width = plan_.spec.extents[2], slot = slot_of(row);
  for (int field = 0; field < plan_.fields; ++field) {
    const T* taken = pass_->input[field].template row<T>(row, plan_.spec.width());
    taken_[static_cast<std::size_t>(field * ring_rows_ + slot)] = taken;
    if (!copies_) continue;
    for (i64 y = halo_.middle.begin; y < halo_.middle.end; ++y) {
      const T* from = taken + wrapped_index(y, plan_.spec.extents[1]) * width;
      T* to = ring_row(0, field, slot, y);
      for (i64 x = halo_.last.begin; x < halo_.last.end;) {
        const i64 inside = wrapped_index(x, width), count = std::min(width - inside, halo_.last.end - x);
        std::memcpy(to + x, from + inside, static_cast<std::size_t>(count) * sizeof(T));
        x += count;
      }
    }
  }
}

template <class T>
const T* TileWorker<T>::source(i64 level, int field, i64 row, i64 y) {
  const Faces &rows = plan_.spec.faces[0], &middle = plan_.spec.faces[1];
  if (!plan_.axis.wraps) row = mapped_index(row, plan_.axis.rows, rows.low, rows.high);
  if (middle.low != Face::periodic) y = mapped_index(y, plan_.spec.extents[1], middle.low, middle.high);
  if (!plan_.axis.wraps && row < 0) return work_.outside[row == low_outside ? 0 : 1];
  if (middle.low != Face::periodic && y < 0) return work_.outside[y == low_outside ? 2 : 3];
  const i64 slot = slot_of(row);
  if (level > 0 || copies_) return ring_row(level, field, slot, y);
  return taken_[static_cast<std::size_t>(field * ring_rows_ + slot)] +
         wrapped_index(y, plan_.spec.extents[1]) * plan_.spec.extents[2];
}

template <class T>
T* TileWorker<T>::target(i64 level, int field, i64 row, i64 y) {
  if (level < pass_->depth) return ring_row(level, field, slot_of(row), y);
  return pass_->output[field].template row<T>(row, plan_.spec.width()) + y * plan_.spec.extents[2];
}

template <class T>
const T* TileWorker<T>::array_row(std::size_t array, i64 row, i64 y) const {
  const i64 inside = pass_->modulo != 0 ? wrapped_index(row, pass_->modulo) : row;
  return pass_->arrays[array].template row<T>(inside, plan_.spec.width()) +
         wrapped_index(y, plan_.spec.extents[1]) * plan_.spec.extents[2];
}

/// Makes cells of a row by the kernel for any of them.
template <class T>
void TileWorker<T>::make_line(i64 level, i64 row, i64 y, RowRange cells) {
  if (cells.count() == 0) return;
  const std::array<Faces, most_rank>& faces = plan_.spec.faces;
  std::size_t at = 0;
  for (int field = 0; field < plan_.fields; ++field) {
    for (i64 d0 = -plan_.radius; d0 <= plan_.radius; ++d0) {
      for (i64 d1 = -plan_.middle; d1 <= plan_.middle; ++d1)
        around_[at++] = source(level - 1, field, row + d0, y + d1);
    }
    work_.made[field] = target(level, field, row, y);
  }
  const auto kept = [&](i64 index, std::size_t axis) {
    return !plan_.own_faces &&
           is_kept(index, plan_.spec.extents[axis], plan_.radius, faces[axis].low, faces[axis].high);
  };
  const auto near = [&](i64 index, std::size_t axis) {
    return index < plan_.radius || index >= plan_.spec.extents[axis] - plan_.radius;
  };
  work_.kept = kept(row, 0) || (plan_.middle > 0 && kept(y, 1));
  work_.at_face = near(row, 0) || (plan_.middle > 0 && near(y, 1));
  work_.position.index[0] = wrapped_index(row, plan_.spec.extents[0]);
  work_.position.index[1] = wrapped_index(y, plan_.spec.extents[1]);
  work_.position.step = pass_->step + level - 1;
  const i64 width = plan_.spec.extents[2];
  for (i64 x = cells.begin; x < cells.end;) {
    const i64 inside = wrapped_index(x, width);
    for (std::size_t a = 0; a < arrays_.size(); ++a) arrays_[a] = array_row(a, row, y) + inside - x;
    work_.begin = x;
    work_.end = arrays_.empty() ? cells.end : std::min(cells.end, x + width - inside);
    plan_.kernels.make_row(work_);
    x = work_.end;
  }
}

template <class T>
RowRange TileWorker<T>::inner_cells(RowRange cells) const {
  const i64 width = plan_.spec.extents[2];
  if (plan_.spec.faces[2].low != Face::periodic) {
    cells = {std::max<i64>(cells.begin, plan_.radius), std::min<i64>(cells.end, width - plan_.radius)};
  } else if (!arrays_.empty() && (cells.begin < 0 || cells.end > width)) {
    return {cells.begin, cells.begin};
  }
  if (plan_.block_kernels.rows_1 == nullptr || cells.count() < plan_.block_kernels.lanes) {
    return {cells.begin, cells.begin};
  }
  return cells;
}

/// True if the cells at an index along axis 0 or 1 are made by the formula for inner cells.
template <class T>
bool TileWorker<T>::is_plain(i64 index, std::size_t axis) const {
  const Faces& faces = plan_.spec.faces[axis];
  const i64 extent = plan_.spec.extents[axis];
  if (plan_.own_faces) return index >= plan_.radius && index < extent - plan_.radius;
  return !is_kept(index, extent, plan_.radius, faces.low, faces.high);
}

template <class T>
void TileWorker<T>::set_blocks_sources(i64 level, i64 row, i64 y, i64 count) {
  std::size_t at = 0;
  if (plan_.middle > 0) {
    for (int field = 0; field < plan_.fields; ++field) {
      for (i64 d0 = -plan_.radius; d0 <= plan_.radius; ++d0) {
        for (i64 line = y - plan_.radius; line < y + count + plan_.radius; ++line) {
          block_around_[at++] = source(level - 1, field, row + d0, line);
        }
      }
    }
    return;
  }
  const i64 begin = row - plan_.radius, end = row + count + plan_.radius;
  const bool inside = plan_.axis.wraps || (begin >= 0 && end <= plan_.axis.rows);
  const i64 first_slot = slot_of(begin);
  for (int field = 0; field < plan_.fields; ++field) {
    const bool in_ring = level > 1 || copies_;
    const T* ring = ring_row(level - 1, field, 0, y);
    i64 slot = first_slot;
    for (i64 line = begin; line < end; ++line) {
      if (!inside) block_around_[at++] = source(level - 1, field, line, y);
      else if (in_ring) block_around_[at++] = ring + slot * height_ * pitch_;
      else block_around_[at++] = taken_[static_cast<std::size_t>(field * ring_rows_ + slot)];
      if (++slot == ring_rows_) slot = 0;
    }
  }
}

/// Makes inner cells of 1, 2 or 4 neighbouring rows.
template <class T>
void TileWorker<T>::make_block(i64 level, i64 row, i64 y, i64 count, RowRange cells) {
  set_blocks_sources(level, row, y, count);
  const bool down = plan_.middle == 0;
  for (i64 line = 0; line < count; ++line) {
    const i64 line_row = down ? row + line : row, line_y = down ? y : y + line;
    for (int field = 0; field < plan_.fields; ++field) {
      block_made_[static_cast<std::size_t>(field * count + line)] = target(level, field, line_row, line_y);
    }
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      block_arrays_[a * static_cast<std::size_t>(count) + static_cast<std::size_t>(line)] =
          array_row(a, line_row, line_y);
    }
  }
  block_.begin = cells.begin;
  block_.end = cells.end;
  const BlockKernelsOf<T>& kernels = plan_.block_kernels;
  (count == 4 ? kernels.rows_4 : count == 2 ? kernels.rows_2 : kernels.rows_1)(block_);
}

/// Makes the cells of a row that lie near the faces of the last axis.
template <class T>
void TileWorker<T>::make_ends(i64 level, i64 row, i64 y, RowRange cells, RowRange inner) {
  const RowRange ends[] = {{cells.begin, inner.begin}, {inner.end, cells.end}};
  const Face faces[] = {plan_.spec.faces[2].low, plan_.spec.faces[2].high};
  for (int side = 0; side < 2; ++side) {
    if (ends[side].count() == 0) continue;
    if (plan_.own_faces || faces[side] != Face::fixed || inner.count() < 2 * plan_.radius) {
      make_line(level, row, y, ends[side]);
      continue;
    }
    for (int field = 0; field < plan_.fields; ++field) {
      const T* from = source(level - 1, field, row, y);
      T* to = target(level, field, row, y);
      for (i64 x = ends[side].begin; x < ends[side].end; ++x) to[x] = from[x];
    }
  }
}

/// Makes neighbouring rows, along axis 0 in grids of two dimensions and along axis 1 in grids of three.
template <class T>
void TileWorker<T>::make_lines(i64 level, i64 row, i64 y, i64 count) {
  const RowRange cells = grown(tile_.last, pass_->depth - level, 2), inner = inner_cells(cells);
  const bool down = plan_.middle == 0;
  for (i64 line = 0; line < count;) {
    const auto plain = [&](i64 at) { return down ? is_plain(row + at, 0) : is_plain(y + at, 1) && is_plain(row, 0); };
    i64 together = 0;
    const i64 most = inner.count() == 0 ? 0 : std::min(plan_.sizes.block, count - line);
    while (together < most && plain(line + together)) ++together;
    const i64 made = inner.count() == 0 || together == 0 ? 1 : together == 3 ? 2 : together;
    const bool in_block = together > 0 && inner.count() > 0;
    if (in_block) make_block(level, down ? row + line : row, down ? y : y + line, made, inner);
    for (i64 end = line + made; line < end; ++line) {
      const i64 line_row = down ? row + line : row, line_y = down ? y : y + line;
      if (!in_block) make_line(level, line_row, line_y, cells);
      else make_ends(level, line_row, line_y, cells, inner);
      if (plan_.points) make_points(level, line_row, line_y, cells);
      if (pass_->counts && level == pass_->depth) count_line(line_row, line_y);
    }
  }
}

/// Adds the values of sources to a line that a level has made, and records receivers. Each tile that makes a cell
/// adds them; the tile whose output has the cell records it, at every level.
template <class T>
void TileWorker<T>::make_points(i64 level, i64 row, i64 y, RowRange cells) {
  const auto& extents = plan_.spec.extents;
  const LinePlace line{wrapped_index(row, extents[0]), wrapped_index(y, extents[1])};
  if (!plan_.points->may_be_at(line)) return;
  const i32 mask = plan_.additions.mask;
  const T* masks = mask < 0 ? nullptr : array_row(static_cast<std::size_t>(mask), row, y);
  const auto values = [&](int field) { return target(level, field, row, y); };
  const i64 step = pass_->step + level;
  plan_.points->add(line, cells, step - 1, values,
                    [&](i64 x) { return masks != nullptr && masks[wrapped_index(x, extents[2])] != 0; });
  const auto has = [](RowRange range, i64 index) { return index >= range.begin && index < range.end; };
  if (!has(tile_.rows, row) || !has(pass_->part, row) || !has(tile_.middle, y)) return;
  plan_.points->record(line, tile_.last, step, pass_->pass_step, values, pass_->traces);
}

/// Counts the cells of a row of the output, which is still in cache: a load and two additions a value and pass.
template <class T>
void TileWorker<T>::count_line(i64 row, i64 y) {
  const RowRange cells = tile_.last;
  const auto& extents = plan_.spec.extents;
  for (int field = 0; field < plan_.fields; ++field) {
    const i64 line = (field * extents[0] + row) * extents[1] + y;
    plan_.kernels.count(target(pass_->depth, field, row, y) + cells.begin, cells.count(),
                        line * extents[2] + cells.begin, not_finite_);
  }
}

/// Makes the rows of a level that can be made once the rows of the input are there up to the block at `first_row`.
template <class T>
void TileWorker<T>::make_level(i64 level, i64 first_row) {
  const RowRange rows = before_levels(plan_.axis, tile_.rows, pass_->depth - level);
  const i64 row = first_row - level * plan_.radius;
  if (plan_.middle > 0) {
    const RowRange range = grown(tile_.middle, pass_->depth - level, 1);
    if (row >= rows.begin && row < rows.end) make_lines(level, row, range.begin, range.count());
    return;
  }
  const i64 begin = std::max(rows.begin, row), end = std::min(rows.end, row + plan_.sizes.block);
  if (begin < end) make_lines(level, begin, 0, end - begin);
}

template <class T>
bool TileWorker<T>::make(const SubPass& pass, const TileRange& tile, const std::function<bool()>& leave) {
  begin(pass, tile);
  const i64 end = tile.rows.end + pass.depth * plan_.radius, step = plan_.middle > 0 ? 1 : plan_.sizes.block;
  for (i64 row = halo_.rows.begin; row < end; row += step) {
    if (leave()) return false;
    for (i64 taken = row; taken < std::min(row + step, halo_.rows.end); ++taken) take_row(taken);
    for (i64 level = 1; level <= pass.depth; ++level) make_level(level, row);
  }
  return true;
}

template class TileWorker<float>;
template class TileWorker<double>;

}  // namespace terrace::stencil
