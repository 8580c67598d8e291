// Reachability between the nodes of a graph.
#pragma once

#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

inline constexpr Parameter transitive_closure_parameters[] = {
    {"matrix", ParameterKind::array,
     "a graph, or the square matrix of which row i says to which nodes there are edges from node i: elements that "
     "are "
     "not 0"},
    {"no_edge", ParameterKind::number, "the value that means no edge, in place of 0", ""},
    {"packed", ParameterKind::flag, "store eight cells in a byte, and these alone, as NumPy's little-endian packbits",
     "false"},
};

/// r(i, j) <- r(i, j) or (r(i, k) and r(k, j)) (Warshall, "A theorem on Boolean matrices", 1962).
struct TransitiveClosure {
  static constexpr const char* name = "transitive_closure";
  static constexpr const char* help =
      "from which nodes of a directed graph which others are reached, by at least one edge";
  static constexpr Form form = Form::transitive_closure;
  static constexpr ParameterList parameters{transitive_closure_parameters, 3};
  using Semiring = OrAnd;
};

}  // namespace terrace::recursive
