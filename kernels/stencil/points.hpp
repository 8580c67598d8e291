// Points of a stencil: sources, whose values are added to cells after each step, and receivers, whose cells are
// recorded then.
//
// After step s a source adds values[s] to the new value of its cell, with one rounding in the grid's type; several
// sources of a cell one after another. A cell that keeps its values, by a face or by the mask, keeps them here too.
// Receivers are recorded after that. So a step of the grid is: the operator, source and mask, then the points.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

struct Points {
  /// Indices along the axes of StencilSpec.
  using Cell = std::array<std::int64_t, most_rank>;

  struct Source {
    Cell cell;
    int field;
    std::int64_t first;  // place in `values` of the value of step 0; those of later steps follow
  };

  std::vector<Source> sources;  // in the order in which they are added
  std::vector<double> values;   // of all sources, rounded to the grid's type when they are added
  std::vector<Cell> receivers;
  int receiver_field = 0;
  std::int64_t every = 1;  // steps from one recorded time to the next; the first one is after so many steps

  /// Recorded times of the first steps.
  std::int64_t times(std::int64_t steps) const { return steps / every; }
  /// The most recorded times of so many steps in a row.
  std::int64_t most_times(std::int64_t steps) const { return (steps + every - 1) / every; }
};

/// True if a face keeps the values of a cell.
bool is_kept_by_faces(const StencilSpec& spec, const Points::Cell& cell);

/// The sources that add to cells, sorted by cell, those of one cell in their order. None in cells that a face keeps.
std::vector<Points::Source> sources_by_cell(const StencilSpec& spec);

}  // namespace terrace::stencil
