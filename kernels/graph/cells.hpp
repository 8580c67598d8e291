// Cells of a graph's values, and all cells on which they depend.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/graph/graph.hpp"
#include "kernels/graph/moves.hpp"
#include "kernels/graph/rows.hpp"

namespace terrace::graph {

struct Iteration;  // iteration.hpp

/// The cells of an array in some rows and some columns.
struct Cells {
  Rows rows, columns;

  static Cells of(const Area& area);
  bool empty() const { return rows.empty() || columns.empty(); }
  double count() const { return static_cast<double>(rows.size()) * static_cast<double>(columns.size()); }
  bool holds(const Cells& other) const;
  /// Adds the rows and the columns of others.
  void add(const Cells& other);
  /// The number of a cell, row by row. @throws Error if it is none of these
  std::size_t number_of(i64 i, i64 j) const;

  friend bool operator==(const Cells&, const Cells&) = default;
};

/// The cells of an operand that cells of a node read, but not of an array that a warp sees, nor of an iteration.
Cells cells_read(const Graph& graph, const Node& node, int operand, const Cells& cells);

/// The cells of an array that cells of a warp see. @param down, across the displacements along rows and columns
Cells cells_seen(ElementType type, Shape shape, const Cells& cells, const Moves& down, const Moves& across);

/// The cells of each value from which the needed ones are made. Arrays that warps see are needed by the rows and
/// columns of displacements up to `moves`; nullopt: by none.
void add_cells_read(const Graph& graph, std::vector<Cells>& needed, std::optional<double> moves = std::nullopt);

/// The cells that the steps of an iteration make.
struct StepCells {
  std::vector<Cells> states;    // number n: n steps before the end; before the last of them there are no more
  std::vector<Cells> operands;  // of each operand of the iteration's nodes
  double operations = 0;        // as operations_of()

  const Cells& before_end(i64 steps) const {
    return states[std::min(static_cast<std::size_t>(steps), states.size() - 1)];
  }
};

/// @param wanted cells of all states after the last step
StepCells cells_of_steps(const Iteration& iteration, const Cells& wanted);

/// The cells of each value of the body in a step after which some cells of the states are there.
std::vector<Cells> cells_of_body(const Iteration& iteration, const Cells& next);

/// The operations that make cells, about.
double operations_of(const Node& node, const Cells& cells);
/// The same of all nodes.
double operations_of(const Graph& graph, const std::vector<Cells>& needed);

}  // namespace terrace::graph
