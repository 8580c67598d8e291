// A part of a grid made again by the operator's definition, cell by cell, from the cells that it depends on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/stencil/grids.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// The cells [begin, end) along the three axes of a StencilSpec. Along a periodic axis they may lie beyond the grid's
/// ends: index -1 is the last one.
struct CellBox {
  std::array<std::int64_t, most_rank> begin{}, end{};

  std::int64_t extent(std::size_t axis) const { return end[axis] - begin[axis]; }
  std::int64_t count() const { return extent(0) * extent(1) * extent(2); }
  bool operator==(const CellBox&) const = default;
};

/// All cells of a grid.
CellBox whole_grid(const StencilSpec& spec);
/// The cells on which `cells` depend after some steps. Never more than the grid: a periodic axis is then [0, extent).
CellBox cells_before(const StencilSpec& spec, const CellBox& cells, std::int64_t steps);
/// The cells that advance() makes in all steps together, counted up to about `most`.
double updates_of(const StencilSpec& spec, const CellBox& cells, std::int64_t steps, double most);

/// Values of some cells.
template <class T>
struct Window {
  CellBox cells;
  Grids<T> values;

  /// The place of a cell in the values.
  std::size_t place(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::int64_t row = (i - cells.begin[0]) * cells.extent(1) + j - cells.begin[1];
    return static_cast<std::size_t>(row * cells.extent(2) + k - cells.begin[2]);
  }
};

/// Makes steps of a window. T is float or double, the type of the stencil's cells.
/// @param window holds cells_before() of `cells` and `steps` before; afterwards `cells` hold their new values, the
/// others no state of the grid
/// @param step number of steps made before
/// @param after_step called after each step; it may throw. May be empty
template <class T>
void advance(const StencilSpec& spec, Window<T>& window, const CellBox& cells, std::int64_t step, std::int64_t steps,
             const std::function<void()>& after_step = {});

/// The changes of rows between two states of the whole grid by spec.norm, as kernels report them.
template <class T>
std::vector<double> row_changes(const StencilSpec& spec, const Grids<T>& before, const Grids<T>& after);

}  // namespace terrace::stencil
