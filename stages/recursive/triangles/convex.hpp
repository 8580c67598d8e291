// Polygons of which every triangulation is one: convex ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace terrace::stages {

/// The first vertex at which points are no convex polygon.
struct PolygonFault {
  std::int64_t vertex = 0;
  std::string what;  // "turns inwards: ..."
};

/// Looks at a polygon whose vertices stand in order around it, in either direction. Vertices on a straight side are
/// convex; so is any polygon of at most three vertices that differ.
/// @param x, y finite coordinates, as many of each @param roundoff unit roundoff of their type: a vertex may lie
/// inside by what rounding of the coordinates moves it
/// @return nullopt if it is convex and does not cross itself
std::optional<PolygonFault> polygon_fault(const std::vector<long double>& x, const std::vector<long double>& y,
                                          long double roundoff);

}  // namespace terrace::stages
