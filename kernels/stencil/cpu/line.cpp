#include "kernels/stencil/cpu/line.hpp"

#include <algorithm>
#include <cstring>

namespace terrace::stencil {

template <class T>
std::int64_t LineWorker<T>::values(const StencilSpec& spec, const TileSizes& sizes) {
  return (2 * spec.fields() + spec.arrays) * sizes.pitch(spec.radius);
}

template <class T>
LineWorker<T>::LineWorker(const CpuPlan<T>& plan)
    : plan_(plan),
      pitch_(plan.sizes.pitch(plan.radius)),
      lines_(values(plan.spec, plan.sizes)),
      around_(static_cast<std::size_t>(plan.fields * (2 * plan.radius + 1))),
      arrays_(static_cast<std::size_t>(plan.spec.arrays)),
      terms_(plan.terms),
      written_(plan.written_rows()) {
  work_.around = around_.data();
  work_.arrays = arrays_.data();
  work_.radius = plan.radius;
  work_.faces = plan.spec.faces[0];
  work_.additions = plan.additions;
  work_.constants = plan.constants.data();
  work_.terms = terms_.data();
  work_.written = written_.get();
  work_.position = {{0, 0, 0}, {1, 1, plan.spec.extents[0]}, 0};
}

/// Copies the input's cells, and those of the arrays, into lines.
template <class T>
void LineWorker<T>::take(const SubPass& pass, RowRange halo) {
  const auto copy = [&](const InputRows& input, RowRange cells, T* to) {
    for (i64 cell = cells.begin; cell < cells.end;) {
      const i64 count = std::min(input.run(cell), cells.end - cell);
      std::memcpy(to + cell - halo.begin, input.row<T>(cell, 1), static_cast<std::size_t>(count) * sizeof(T));
      cell += count;
    }
  };
  for (int field = 0; field < plan_.fields; ++field) copy(pass.input[field], halo, level_line(0, field));
  for (int array = 0; array < plan_.spec.arrays; ++array) {
    InputRows input;
    input.own = pass.arrays[array];
    input.own_begin = input.own.begin[0];
    input.modulo = pass.modulo;
    RowRange cells = halo;
    // The outermost cells are read alone: there need be no values of arrays.
    if (pass.modulo == 0) cells = {std::max(cells.begin, input.own_begin), std::min(cells.end, input.own.end)};
    T* to = line(2 * plan_.fields + array);
    copy(input, cells, to);
    arrays_[static_cast<std::size_t>(array)] = to - halo.begin;
  }
}

template <class T>
bool LineWorker<T>::make(const SubPass& pass, RowRange cells, const std::function<bool()>& leave) {
  if (leave()) return false;
  const RowRange halo = before_levels(plan_.axis, cells, pass.depth);
  take(pass, halo);
  for (i64 level = 1; level <= pass.depth; ++level) {
    const RowRange range = before_levels(plan_.axis, cells, pass.depth - level);
    for (int field = 0; field < plan_.fields; ++field) {
      const i64 rows = 2 * plan_.radius + 1;
      std::fill_n(around_.begin() + field * rows, rows, level_line(level - 1, field) - halo.begin);
      work_.made[field] = level_line(level, field) - halo.begin;
    }
    work_.begin = range.begin;
    work_.end = range.end;
    work_.position.step = pass.step + level - 1;
    plan_.kernels.make_row(work_);
    if (plan_.points) make_points(pass, level, range, cells, halo);
  }
  for (int field = 0; field < plan_.fields; ++field) give(pass, field, cells, halo);
  return true;
}

/// Adds the values of sources to the cells that a level has made, `range`, and records receivers among `cells`.
template <class T>
void LineWorker<T>::make_points(const SubPass& pass, i64 level, RowRange range, RowRange cells, RowRange halo) {
  const i32 mask = plan_.additions.mask;
  const T* masks = mask < 0 ? nullptr : arrays_[static_cast<std::size_t>(mask)];
  const auto values = [&](int field) { return level_line(level, field) - halo.begin; };
  const i64 step = pass.step + level;
  plan_.points->add({0, 0}, range, step - 1, values, [&](i64 x) { return masks != nullptr && masks[x] != 0; });
  const RowRange recorded{std::max(cells.begin, pass.part.begin), std::min(cells.end, pass.part.end)};
  plan_.points->record({0, 0}, recorded, step, pass.pass_step, values, pass.traces);
}

/// Counts the cells of the last level that are not finite, and copies them to the output.
template <class T>
void LineWorker<T>::give(const SubPass& pass, int field, RowRange cells, RowRange halo) {
  const T* made = level_line(pass.depth, field) - halo.begin;
  const i64 first = field * plan_.spec.extents[0] + cells.begin;
  if (pass.counts) plan_.kernels.count(made + cells.begin, cells.count(), first, not_finite_);
  for (i64 cell = cells.begin; cell < cells.end;) {
    const i64 count = std::min(InputRows::run_of(pass.output[field], cell), cells.end - cell);
    std::memcpy(pass.output[field].row<T>(cell, 1), made + cell, static_cast<std::size_t>(count) * sizeof(T));
    cell += count;
  }
}

template class LineWorker<float>;
template class LineWorker<double>;

}  // namespace terrace::stencil
