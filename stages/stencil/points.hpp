// The point sources and receivers of a stencil, and the spacing of its cells, from a step of a job.
#pragma once

#include <string>
#include <vector>

#include "stages/stencil/definition.hpp"

namespace terrace::stages {

/// Reads `point_sources` and `receivers` into the definition, of which all else is there. Warns of sources in masked
/// cells.
/// @throws JobError at the place of the setting that does not fit
void define_points(const Request& request, StencilDefinition& definition);

/// Reads `spacing`: one number an axis, or none. @throws JobError
std::vector<double> spacing_of(const Request& request, const Extents& shape);

/// The name of each axis of a grid, as its datasets have them.
std::vector<std::string> axis_names(int rank);

/// The coordinates of cells along an axis: a dataset of the result.
struct Coordinate {
  std::string axis;
  std::vector<double> values;
};
/// @param spacing along each axis; empty: there are no coordinates
std::vector<Coordinate> coordinates_of(const std::vector<double>& spacing, const Extents& shape);

}  // namespace terrace::stages
