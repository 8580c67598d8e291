#include "kernels/stencil/window.hpp"

#include <algorithm>
#include <utility>

#include "kernels/stencil/reference/reference.hpp"
#include "kernels/stencil/visit.hpp"

namespace terrace::stencil {
namespace {

bool wraps(const StencilSpec& spec, std::size_t axis) { return spec.faces[axis].low == Face::periodic; }

/// The rows of `cells` before some steps, in a window: on a periodic axis that the window has as a whole all of it.
CellBox region_before(const StencilSpec& spec, const CellBox& window, const CellBox& cells, i64 steps) {
  CellBox region = cells_before(spec, cells, steps);
  for (std::size_t axis = 0; axis < most_rank; ++axis) {
    if (!wraps(spec, axis) || window.begin[axis] != 0 || window.end[axis] != spec.extents[axis]) continue;
    region.begin[axis] = 0;
    region.end[axis] = spec.extents[axis];
  }
  return region;
}

/// The values around a cell whose neighbours are all in the window.
template <class T>
struct NearAt {
  const Window<T>& window;
  std::size_t cell;
  i64 plane, line;  // cells from one to the next

  T operator()(int field, int d0, int d1, int d2) const {
    return window.values
        .fields[static_cast<std::size_t>(field)][cell + static_cast<std::size_t>(d0 * plane + d1 * line + d2)];
  }
  T array(int number) const { return window.values.arrays[static_cast<std::size_t>(number)][cell]; }
};

/// The values around any cell, beyond faces too.
template <class T>
struct FaceAt {
  const StencilSpec& spec;
  const Window<T>& window;
  const Position& position;

  T operator()(int field, int d0, int d1, int d2) const {
    const i64 offset[] = {d0, d1, d2};
    i64 index[most_rank];
    for (std::size_t axis = 0; axis < most_rank; ++axis) {
      const Faces& faces = spec.faces[axis];
      index[axis] = position.index[axis] + offset[axis];
      if (index[axis] >= window.cells.begin[axis] && index[axis] < window.cells.end[axis]) continue;
      index[axis] = mapped_index(index[axis], position.extent[axis], faces.low, faces.high);
      if (index[axis] == low_outside) return static_cast<T>(faces.low_value);
      if (index[axis] == high_outside) return static_cast<T>(faces.high_value);
    }
    return window.values.fields[static_cast<std::size_t>(field)][window.place(index[0], index[1], index[2])];
  }
  T array(int number) const {
    const std::size_t cell = window.place(position.index[0], position.index[1], position.index[2]);
    return window.values.arrays[static_cast<std::size_t>(number)][cell];
  }
};

/// Makes steps of a window for a formula.
template <class F, class T>
class WindowSteps {
 public:
  WindowSteps(const StencilSpec& spec, Window<T>& window)
      : spec_(spec),
        window_(window),
        operands_(spec),
        constants_(
            F::template constants<T>(ConstantsReader<T>(spec, operands_.terms.data(), operands_.drive.data()))),
        additions_(additions_of<F, T>(spec)),
        next_(window.values.fields),
        sources_(sources_by_cell(spec)) {}

  /// Makes the cells of a region anew. @param step number of steps made before
  void make(const CellBox& region, i64 step) {
    Position p{{0, 0, 0}, {spec_.extents[0], spec_.extents[1], spec_.extents[2]}, step};
    for (p.index[0] = region.begin[0]; p.index[0] < region.end[0]; ++p.index[0]) {
      for (p.index[1] = region.begin[1]; p.index[1] < region.end[1]; ++p.index[1]) {
        for (p.index[2] = region.begin[2]; p.index[2] < region.end[2]; ++p.index[2]) make_cell(p);
      }
    }
    std::swap(next_, window_.values.fields);
    for (const Points::Source& source : sources_) add(source, region, step);
  }

 private:
  /// Adds the value of a source to its cell, wherever that is in a region: along periodic axes perhaps beyond an end.
  void add(const Points::Source& source, const CellBox& region, i64 step) {
    const auto first = [&](std::size_t axis) {
      const i64 index = source.cell[axis], extent = spec_.extents[axis], begin = region.begin[axis];
      if (wraps(spec_, axis)) return begin + ((index - begin) % extent + extent) % extent;
      return index >= begin && index < region.end[axis] ? index : region.end[axis];
    };
    const T value = static_cast<T>(spec_.points->values[static_cast<std::size_t>(source.first + step)]);
    for (i64 i = first(0); i < region.end[0]; i += spec_.extents[0]) {
      for (i64 j = first(1); j < region.end[1]; j += spec_.extents[1]) {
        for (i64 k = first(2); k < region.end[2]; k += spec_.extents[2]) {
          const std::size_t cell = window_.place(i, j, k);
          if (is_masked(cell)) continue;
          T& at = window_.values.fields[static_cast<std::size_t>(source.field)][cell];
          at = plus(at, value);
        }
      }
    }
  }
  bool is_masked(std::size_t cell) const {
    return additions_.mask >= 0 && window_.values.arrays[static_cast<std::size_t>(additions_.mask)][cell] != 0;
  }
  void make_cell(const Position& p) {
    const std::size_t cell = window_.place(p.index[0], p.index[1], p.index[2]);
    for (std::size_t f = 0; f < next_.size(); ++f) next_[f][cell] = window_.values.fields[f][cell];
    if (is_masked(cell) || (!F::own_faces && is_kept(spec_, p))) return;
    const CellBox& cells = window_.cells;
    bool near = true;
    for (std::size_t axis = 0; axis < most_rank; ++axis) {
      const i64 reach = spec_.extents[axis] > 1 ? spec_.radius : 0;
      near &= p.index[axis] - reach >= cells.begin[axis] && p.index[axis] + reach < cells.end[axis];
    }
    if (near) make_from(NearAt<T>{window_, cell, cells.extent(1) * cells.extent(2), cells.extent(2)}, p, cell);
    else make_from(FaceAt<T>{spec_, window_, p}, p, cell);
  }

  template <class At>
  void make_from(const At& at, const Position& p, std::size_t cell) {
    T made[F::fields];
    make_by_definition<F>(constants_, at, p, made);
    add_source(additions_, at, made);
    for (std::size_t f = 0; f < next_.size(); ++f) next_[f][cell] = made[f];
  }

  const StencilSpec& spec_;
  Window<T>& window_;
  Operands<T> operands_;
  typename F::template Constants<T> constants_;
  Additions<T> additions_;
  std::vector<std::vector<T>> next_;
  std::vector<Points::Source> sources_;
};

}  // namespace

CellBox whole_grid(const StencilSpec& spec) { return {{0, 0, 0}, spec.extents}; }

CellBox cells_before(const StencilSpec& spec, const CellBox& cells, std::int64_t steps) {
  CellBox before = cells;
  for (std::size_t axis = 0; axis < most_rank; ++axis) {
    const std::int64_t extent = spec.extents[axis];
    // Further than the grid reaches no cell.
    const std::int64_t reach = steps > extent / spec.radius ? extent : steps * spec.radius;
    before.begin[axis] -= reach;
    before.end[axis] += reach;
    if (wraps(spec, axis)) {
      if (before.extent(axis) >= extent) before.begin[axis] = 0, before.end[axis] = extent;
      continue;
    }
    before.begin[axis] = std::max<std::int64_t>(0, before.begin[axis]);
    before.end[axis] = std::min(extent, before.end[axis]);
  }
  return before;
}

double updates_of(const StencilSpec& spec, const CellBox& cells, std::int64_t steps, double most) {
  const CellBox all = whole_grid(spec), window = cells_before(spec, cells, steps);
  double updates = 0;
  for (std::int64_t left = 0; left < steps && updates <= most; ++left) {
    const CellBox region = region_before(spec, window, cells, left);
    if (region == all) return updates + static_cast<double>(steps - left) * static_cast<double>(all.count());
    updates += static_cast<double>(region.count());
  }
  return updates;
}

template <class T>
void advance(const StencilSpec& spec, Window<T>& window, const CellBox& cells, std::int64_t step, std::int64_t steps,
             const std::function<void()>& after_step) {
  visit_formula(spec, [&]<class F>(F) {
    WindowSteps<F, T> all(spec, window);
    for (std::int64_t left = steps; left-- > 0;) {
      all.make(region_before(spec, window.cells, cells, left), step + steps - 1 - left);
      if (after_step) after_step();
    }
  });
}

template <class T>
std::vector<double> row_changes(const StencilSpec& spec, const Grids<T>& before, const Grids<T>& after) {
  return changes_of(spec, before, after);
}

template void advance(const StencilSpec&, Window<float>&, const CellBox&, std::int64_t, std::int64_t,
                      const std::function<void()>&);
template void advance(const StencilSpec&, Window<double>&, const CellBox&, std::int64_t, std::int64_t,
                      const std::function<void()>&);
template std::vector<double> row_changes(const StencilSpec&, const Grids<float>&, const Grids<float>&);
template std::vector<double> row_changes(const StencilSpec&, const Grids<double>&, const Grids<double>&);

}  // namespace terrace::stencil
