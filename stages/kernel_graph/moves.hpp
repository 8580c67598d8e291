// The rows by which the warps of a graph move, found by reductions that are added to it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/graph/graph.hpp"

namespace terrace::stages {

/// Adds the smallest and the largest displacement along rows of warps, as numbers that these know: a slab of a warp
/// then reads the rows in between. They are made in the part that makes the displacements, and the warp is made in a
/// later one. Operands that come from an iteration are stored, so that it is not made in both. Warps whose numbers
/// are more than parts may have know none.
graph::Graph with_known_moves(const graph::Graph& whole);

/// The numbers of a part that say how far warps move.
std::vector<std::size_t> moved_numbers(const graph::Graph& part);

/// The numbers of a part for which its slabs are planned: warps move by a quarter of a slab's rows, or, where slabs
/// are a large share of all rows, by any number. Others are 0.
std::vector<double> assumed_numbers(const graph::Graph& part, std::int64_t slab_rows);

/// True if no warp of a part moves further by these numbers than by others.
bool moves_no_further(const graph::Graph& part, const std::vector<double>& numbers,
                      const std::vector<double>& others);

}  // namespace terrace::stages
