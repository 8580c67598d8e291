#include "kernels/stencil/cpu/tile.hpp"

#include <algorithm>
#include <cstring>

namespace terrace::stencil {
namespace {

i64 modulo(i64 index, i64 extent) { return (index % extent + extent) % extent; }

}  // namespace

template <class T>
std::int64_t TileWorker<T>::values_of_rings(const StencilSpec& spec, const TileSizes& sizes) {
  const i64 middle = spec.rank == 3 ? spec.radius : 0;
  return fields_of(spec) * sizes.depth * (2 * spec.radius + 1) * sizes.halo_height(middle) * sizes.pitch(spec.radius);
}

template <class T>
TileWorker<T>::TileWorker(const CpuPlan<T>& plan)
    : plan_(plan),
      rings_(values_of_rings(plan.spec, plan.sizes)),
      outside_(4 * plan.sizes.pitch(plan.radius)),
      around_(static_cast<std::size_t>(plan.fields * (2 * plan.radius + 1) * (2 * plan.middle + 1))),
      arrays_(static_cast<std::size_t>(plan.spec.arrays)),
      array_rows_(arrays_.size()),
      taken_(static_cast<std::size_t>(plan.fields * (2 * plan.radius + 1))),
      plane_rows_(static_cast<std::size_t>(2 * plan.radius + 1)),
      terms_(plan.terms) {
  pitch_ = plan.sizes.pitch(plan.radius);
  height_ = plan.sizes.halo_height(plan.middle);
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
  for (std::size_t axis = 0; axis < 3; ++axis) work_.position.extent[axis] = plan.spec.extents[axis];
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
  for (int side = 0; side < 4; ++side) work_.outside[side] = &outside_[side * pitch_] - halo_.last.begin;
}

template <class T>
T* TileWorker<T>::ring_row(i64 level, int field, i64 row, i64 y) {
  const i64 rows = plan_.rows_of_ring();
  const i64 plane = (level * plan_.fields + field) * rows + modulo(row, rows);
  return rings_.data() + (plane * height_ + y - halo_.middle.begin) * pitch_ - halo_.last.begin;
}

/// Takes a row of the input; rows of tiles that go on beyond the ends of a periodic axis are copied together.
template <class T>
void TileWorker<T>::take_row(i64 row) {
  const i64 width = plan_.spec.extents[2];
  for (int field = 0; field < plan_.fields; ++field) {
    const T* source = pass_->input[field].row<T>(row, plan_.spec.width());
    taken_[static_cast<std::size_t>(field * plan_.rows_of_ring() + modulo(row, plan_.rows_of_ring()))] = source;
    if (!copies_) continue;
    for (i64 y = halo_.middle.begin; y < halo_.middle.end; ++y) {
      const T* from = source + modulo(y, plan_.spec.extents[1]) * width;
      T* to = ring_row(0, field, row, y);
      for (i64 x = halo_.last.begin; x < halo_.last.end;) {
        const i64 inside = modulo(x, width), count = std::min(width - inside, halo_.last.end - x);
        std::memcpy(to + x, from + inside, static_cast<std::size_t>(count) * sizeof(T));
        x += count;
      }
    }
  }
}

/// Finds the rows along axis 0 that a row is made from.
template <class T>
void TileWorker<T>::set_sources(i64, i64 row) {
  const Faces& faces = plan_.spec.faces[0];
  for (i64 d = -plan_.radius; d <= plan_.radius; ++d) {
    i64 source = row + d;
    if (!plan_.axis.wraps) source = mapped_index(source, plan_.axis.rows, faces.low, faces.high);
    plane_rows_[static_cast<std::size_t>(d + plan_.radius)] = source;
  }
}

/// Sets the rows of arrays. @param shift cells from the tile's indices along axis 2 to those of the grid
template <class T>
void TileWorker<T>::set_arrays(i64 row, i64 y, i64 shift) {
  const i64 inside = pass_->modulo != 0 ? modulo(row, pass_->modulo) : row;
  const i64 width = plan_.spec.extents[2];
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    arrays_[a] =
        pass_->arrays[a].row<T>(inside, plan_.spec.width()) + modulo(y, plan_.spec.extents[1]) * width + shift;
  }
}

template <class T>
void TileWorker<T>::make_piece(i64 level, i64 row, i64 y) {
  const std::array<Faces, most_rank>& faces = plan_.spec.faces;
  const bool wraps = faces[1].low == Face::periodic;
  const i64 width = plan_.spec.extents[2];
  std::size_t at = 0;
  for (int field = 0; field < plan_.fields; ++field) {
    for (const i64 source : plane_rows_) {
      for (i64 d = -plan_.middle; d <= plan_.middle; ++d) {
        i64 other = y + d;
        if (!wraps) other = mapped_index(other, plan_.spec.extents[1], faces[1].low, faces[1].high);
        const T* found = nullptr;
        if (!plan_.axis.wraps && source < 0) {
          found = work_.outside[source == low_outside ? 0 : 1];
        } else if (!wraps && other < 0) {
          found = work_.outside[other == low_outside ? 2 : 3];
        } else if (level > 1 || copies_) {
          found = ring_row(level - 1, field, source, other);
        } else {
          const i64 slot = field * plan_.rows_of_ring() + modulo(source, plan_.rows_of_ring());
          found = taken_[static_cast<std::size_t>(slot)] + modulo(other, plan_.spec.extents[1]) * width;
        }
        around_[at++] = found;
      }
    }
  }
  const auto near = [&](i64 index, std::size_t axis) {
    return index < plan_.radius || index >= plan_.spec.extents[axis] - plan_.radius;
  };
  const auto kept = [&](i64 index, std::size_t axis) {
    return !plan_.own_faces &&
           is_kept(index, plan_.spec.extents[axis], plan_.radius, faces[axis].low, faces[axis].high);
  };
  const bool has_middle = plan_.middle > 0;
  work_.kept = kept(row, 0) || (has_middle && kept(y, 1));
  work_.at_face = near(row, 0) || (has_middle && near(y, 1));
  work_.position.index[0] = row;
  work_.position.index[1] = y;
  work_.position.step = pass_->step + level - 1;
  const bool is_last = level == pass_->depth;
  for (int field = 0; field < plan_.fields; ++field) {
    work_.made[field] =
        is_last ? pass_->output[field].row<T>(row, plan_.spec.width()) + y * width : ring_row(level, field, row, y);
  }
  const RowRange cells = grown(tile_.last, pass_->depth - level, 2);
  for (i64 x = cells.begin; x < cells.end;) {
    const i64 inside = modulo(x, width);
    set_arrays(row, y, inside - x);
    work_.begin = x;
    work_.end = arrays_.empty() ? cells.end : std::min(cells.end, x + width - inside);
    plan_.kernels.make_row(work_);
    x = work_.end;
  }
}

template <class T>
void TileWorker<T>::make_rows(i64 level, i64 row) {
  set_sources(level, row);
  const RowRange range = grown(tile_.middle, pass_->depth - level, 1);
  for (i64 y = range.begin; y < range.end; ++y) make_piece(level, row, y);
}

template <class T>
bool TileWorker<T>::make(const SubPass& pass, const TileRange& tile, const std::function<bool()>& leave) {
  begin(pass, tile);
  const i64 end = tile.rows.end + pass.depth * plan_.radius;
  for (i64 row = halo_.rows.begin; row < end; ++row) {
    if (leave()) return false;
    if (row < halo_.rows.end) take_row(row);
    for (i64 level = 1; level <= pass.depth; ++level) {
      const RowRange rows = before_levels(plan_.axis, tile.rows, pass.depth - level);
      const i64 made = row - level * plan_.radius;
      if (made >= rows.begin && made < rows.end) make_rows(level, made);
    }
  }
  return true;
}

template class TileWorker<float>;
template class TileWorker<double>;

}  // namespace terrace::stencil
