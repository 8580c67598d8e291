// Formulas of a stencil on parts of a grid: what conditions on the cell's place decide there.
#pragma once

#include <array>
#include <vector>

#include "kernels/formula/formula.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// Cells of a grid: their least and largest indices along the axes of StencilSpec.
struct GridPart {
  std::array<std::int64_t, most_rank> first, last;
  std::array<std::int64_t, most_rank> extents;  // of the grid
};

/// The cells whose neighbours within the radius are all in the grid; nothing is empty if an axis is too short.
GridPart inner_part(const StencilSpec& spec);

/// Parts of which each has the cells of one distance to the grid's ends, up to the radius, along each axis; all cells
/// together.
std::vector<GridPart> parts_of(const StencilSpec& spec);

/// The formulas as they are in a part: conditions that hold in all of its cells, or in none, are decided, and what is
/// not chosen is gone. @param used if not null: becomes true for the nodes of `cells` that are left
formula::Formula decided(const formula::Formula& cells, const GridPart& part, std::vector<bool>* used = nullptr);

/// True if every read lies in the grid for all cells of the part. @param cells decided for the part
bool reads_inside(const formula::Formula& cells, int fields, const GridPart& part);

/// True if what the formulas are in each part is what they are if only the distances to the ends are known, up to the
/// radius 1: indices 0, 1 and 2 in a grid of three cells along an axis.
bool know_distances_alone(const formula::Formula& cells, const StencilSpec& spec);

}  // namespace terrace::stencil
