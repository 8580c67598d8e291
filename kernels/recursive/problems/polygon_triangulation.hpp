// The cheapest triangulation of a convex polygon.
#pragma once

#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

inline constexpr Parameter polygon_triangulation_parameters[] = {
    {"vertices", ParameterKind::array,
     "a number for each vertex, and a triangle costs the product of its three; or points (vertices x 2) of a convex "
     "polygon in order around it, each once, and it costs its perimeter"},
};

/// t(i, j) <- min over i < k < j of t(i, k) + t(k, j) + v(i) v(k) v(j). Of points: PerimeterRule.
struct PolygonTriangulation {
  static constexpr const char* name = "polygon_triangulation";
  static constexpr const char* help =
      "the triangulation of a convex polygon with the least sum of products of vertices, or perimeters, of its "
      "triangles";
  static constexpr Form form = Form::intervals;
  static constexpr ParameterList parameters{polygon_triangulation_parameters, 1};
  using Rule = ChainRule;
};

}  // namespace terrace::recursive
