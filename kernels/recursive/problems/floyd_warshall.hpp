// Shortest paths between all pairs.
#pragma once

#include "kernels/recursive/problem.hpp"

namespace terrace::recursive {

inline constexpr Parameter floyd_warshall_parameters[] = {
    {"no_edge", ParameterKind::number,
     "the value that means no edge; left out: infinity, in integers half the largest value of their type", ""},
    {"diagonal", ParameterKind::choice,
     "what the distance of a node to itself is: at most zero, or as given until a cycle is shorter", "zero",
     "zero, given"},
    {"paths", ParameterKind::flag, "also give the next node on a shortest path from each node to each", "false"},
};

/// d(i, j) <- min(d(i, j), d(i, k) + d(k, j)) (Floyd 1962, Warshall 1962).
struct FloydWarshall {
  static constexpr const char* name = "floyd_warshall";
  static constexpr const char* help = "shortest distances between all pairs of nodes of a directed graph";
  static constexpr Form form = Form::shortest_paths;
  static constexpr ParameterList parameters{floyd_warshall_parameters, 3};
  using Semiring = MinPlus;
};

}  // namespace terrace::recursive
