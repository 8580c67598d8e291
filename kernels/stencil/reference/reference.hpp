// Stencils as they are defined, cell by cell: tests compare every kernel with them.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/grids.hpp"
#include "kernels/stencil/points.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {

/// The values around a cell, of a grid with faces.
template <class T>
class ReferenceAt {
 public:
  ReferenceAt(const StencilSpec& spec, const Grids<T>& grids, const Position& position)
      : spec_(spec), grids_(grids), position_(position) {}

  T operator()(int field, int d0, int d1, int d2) const {
    const i64 offset[] = {d0, d1, d2};
    i64 cell = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Faces& faces = spec_.faces[axis];
      const i64 index =
          mapped_index(position_.index[axis] + offset[axis], position_.extent[axis], faces.low, faces.high);
      if (index == low_outside) return static_cast<T>(faces.low_value);
      if (index == high_outside) return static_cast<T>(faces.high_value);
      cell = cell * position_.extent[axis] + index;
    }
    return grids_.fields[static_cast<std::size_t>(field)][static_cast<std::size_t>(cell)];
  }
  T array(int number) const {
    const i64 cell =
        (position_.index[0] * position_.extent[1] + position_.index[1]) * position_.extent[2] + position_.index[2];
    return grids_.arrays[static_cast<std::size_t>(number)][static_cast<std::size_t>(cell)];
  }

 private:
  const StencilSpec& spec_;
  const Grids<T>& grids_;
  const Position& position_;
};

/// True if a cell within the rim of a fixed face: it keeps its values. Axes of extent 1 that the grid does not have
/// are given faces of another kind.
inline bool is_kept(const StencilSpec& spec, const Position& position) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Faces& faces = spec.faces[axis];
    if (is_kept(position.index[axis], position.extent[axis], spec.radius, faces.low, faces.high)) return true;
  }
  return false;
}

/// Adds the values of point sources after a step. @param step steps made before it
template <class T>
void add_point_sources(const StencilSpec& spec, Grids<T>& grids, i64 step) {
  if (!spec.points) return;
  for (const Points::Source& source : spec.points->sources) {
    const auto cell = static_cast<std::size_t>((source.cell[0] * spec.extents[1] + source.cell[1]) * spec.extents[2] +
                                               source.cell[2]);
    const bool masked = spec.mask >= 0 && grids.arrays[static_cast<std::size_t>(spec.mask)][cell] != 0;
    if (masked || is_kept_by_faces(spec, source.cell)) continue;
    T& value = grids.fields[static_cast<std::size_t>(source.field)][cell];
    value = plus(value, static_cast<T>(spec.points->values[static_cast<std::size_t>(source.first + step)]));
  }
}

/// The values of receivers in a state.
template <class T>
std::vector<T> received(const StencilSpec& spec, const Grids<T>& grids) {
  std::vector<T> values;
  for (const Points::Cell& at : spec.points->receivers) {
    const i64 cell = (at[0] * spec.extents[1] + at[1]) * spec.extents[2] + at[2];
    values.push_back(
        grids.fields[static_cast<std::size_t>(spec.points->receiver_field)][static_cast<std::size_t>(cell)]);
  }
  return values;
}

/// Makes `steps` steps, and calls after_step(step) after each, with the number of steps made. @param step number of
/// steps made before
template <class F, class T, class AfterStep>
void advance_by_definition(const StencilSpec& spec, Grids<T>& grids, i64 step, i64 steps,
                           const AfterStep& after_step) {
  const Operands<T> operands(spec);
  const auto k = F::template constants<T>(ConstantsReader<T>(spec, operands.terms.data(), operands.drive.data()));
  const Additions<T> additions = additions_of<F, T>(spec);
  for (i64 end = step + steps; step < end; ++step) {
    std::vector<std::vector<T>> next = grids.fields;
    Position p{{0, 0, 0}, {spec.extents[0], spec.extents[1], spec.extents[2]}, step};
    std::size_t cell = 0;
    for (p.index[0] = 0; p.index[0] < p.extent[0]; ++p.index[0]) {
      for (p.index[1] = 0; p.index[1] < p.extent[1]; ++p.index[1]) {
        for (p.index[2] = 0; p.index[2] < p.extent[2]; ++p.index[2], ++cell) {
          const ReferenceAt<T> at(spec, grids, p);
          const bool masked = additions.mask >= 0 && at.array(additions.mask) != 0;
          if (masked || (!F::own_faces && is_kept(spec, p))) continue;
          T made[F::fields];
          make_by_definition<F>(k, at, p, made);
          add_source(additions, at, made);
          for (std::size_t f = 0; f < next.size(); ++f) next[f][cell] = made[f];
        }
      }
    }
    grids.fields = std::move(next);
    add_point_sources(spec, grids, step);
    after_step(step + 1);
  }
}

/// Likewise.
template <class F, class T>
void advance_by_definition(const StencilSpec& spec, Grids<T>& grids, i64 step, i64 steps) {
  advance_by_definition<F>(spec, grids, step, steps, [](i64) {});
}

/// The changes of rows from one state to another, as kernels report them (rules/change.hpp): fields one after
/// another.
template <class T>
std::vector<double> changes_of(const StencilSpec& spec, const Grids<T>& before, const Grids<T>& after) {
  std::vector<double> changes;
  for (i64 row = 0; row < spec.extents[0]; ++row) {
    double change = 0;
    for (std::size_t f = 0; f < before.fields.size(); ++f) {
      const double of_field = sum_in_order(spec.width(), spec.norm, [&](double sum, i64 i) {
        const auto cell = static_cast<std::size_t>(row * spec.width() + i);
        const T difference = after.fields[f][cell] - before.fields[f][cell];
        return with_difference(sum, static_cast<double>(difference), spec.norm);
      });
      change = joined(change, of_field, spec.norm);
    }
    changes.push_back(change);
  }
  return changes;
}

}  // namespace terrace::stencil
