#include "kernels/stencil/cpu/line.hpp"

#include <algorithm>
#include <cstring>

namespace terrace::stencil {

template <class T>
std::int64_t LineWorker<T>::values(const StencilSpec& spec, const TileSizes& sizes) {
  return (2 + spec.arrays) * sizes.pitch(spec.radius);
}

template <class T>
LineWorker<T>::LineWorker(const CpuPlan<T>& plan)
    : plan_(plan),
      pitch_(plan.sizes.pitch(plan.radius)),
      lines_(values(plan.spec, plan.sizes)),
      around_(static_cast<std::size_t>(2 * plan.radius + 1)),
      arrays_(static_cast<std::size_t>(plan.spec.arrays)),
      terms_(plan.terms) {
  work_.around = around_.data();
  work_.arrays = arrays_.data();
  work_.radius = plan.radius;
  work_.faces = plan.spec.faces[0];
  work_.additions = plan.additions;
  work_.constants = plan.constants.data();
  work_.terms = terms_.data();
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
  copy(pass.input[0], halo, line(0));
  for (int array = 0; array < plan_.spec.arrays; ++array) {
    InputRows input;
    input.own = pass.arrays[array];
    input.own_begin = input.own.begin[0];
    input.modulo = pass.modulo;
    RowRange cells = halo;
    // The outermost cells are read alone: there need be no values of arrays.
    if (pass.modulo == 0) cells = {std::max(cells.begin, input.own_begin), std::min(cells.end, input.own.end)};
    copy(input, cells, line(2 + array));
    arrays_[static_cast<std::size_t>(array)] = line(2 + array) - halo.begin;
  }
}

template <class T>
bool LineWorker<T>::make(const SubPass& pass, RowRange cells, const std::function<bool()>& leave) {
  if (leave()) return false;
  const RowRange halo = before_levels(plan_.axis, cells, pass.depth);
  take(pass, halo);
  for (i64 level = 1; level <= pass.depth; ++level) {
    const RowRange range = before_levels(plan_.axis, cells, pass.depth - level);
    std::fill(around_.begin(), around_.end(), line((level - 1) % 2) - halo.begin);
    work_.made[0] = line(level % 2) - halo.begin;
    work_.begin = range.begin;
    work_.end = range.end;
    work_.position.step = pass.step + level - 1;
    plan_.kernels.make_row(work_);
  }
  const T* made = line(pass.depth % 2) - halo.begin;
  if (pass.counts) plan_.kernels.count(made + cells.begin, cells.count(), cells.begin, not_finite_);
  for (i64 cell = cells.begin; cell < cells.end;) {
    const i64 count = std::min(InputRows::run_of(pass.output[0], cell), cells.end - cell);
    std::memcpy(pass.output[0].row<T>(cell, 1), made + cell, static_cast<std::size_t>(count) * sizeof(T));
    cell += count;
  }
  return true;
}

template class LineWorker<float>;
template class LineWorker<double>;

}  // namespace terrace::stencil
