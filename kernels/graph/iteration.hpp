// Iterations: graphs whose results are made again and again from themselves; operator `iterate`.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/rows.hpp"

namespace terrace::graph {

/// All next states by one formula, whose reads of number n are of source n; its operands are inputs of the body.
struct JoinedFormula {
  formula::Formula cells;  // a result a state
  std::vector<FormulaSource> sources;
};

/// The operands of its nodes are the first values of all states, then the other values that the body reads. It has a
/// node for each state, one after another.
struct Iteration {
  Graph body;             // inputs: the states, then the other values; nothing is kept
  std::vector<int> next;  // the value of the body that each state has after a step
  i64 times = 0;
  i64 row_radius = 0, column_radius = 0;               // of a step
  std::optional<JoinedFormula> joined = std::nullopt;  // if the body has formulas alone, and reads nodes at their own
                                                       // place
  bool wraps = false;                                  // rows beyond one end are those at the other

  std::size_t states() const { return next.size(); }
  Shape shape() const { return body.inputs.front().shape; }
};

/// Sets what follows from the body: the joined formula, the radius, and whether it wraps.
void complete(Iteration& iteration);

/// The formula of a body; nullopt if it has none.
std::optional<JoinedFormula> joined_formula(const Iteration& iteration);

/// The settings of the node of a state.
NodeSettings settings_of(std::shared_ptr<const Iteration> iteration, int state);

/// The nodes from `value` on that have states of one iteration, made from the same operands: their number, at least 1
/// of an iteration, 0 of another value.
int nodes_of_iteration(const Graph& graph, int value);
/// The first node of the iteration to which a value belongs; the value itself if it belongs to none.
int first_of_iteration(const Graph& graph, int value);

/// The values of the first nodes of all iterations.
std::vector<int> iterations_of(const Graph& graph);

/// The rows of all states after a number of steps, from 0 on, so that some rows are there after the last one.
Rows rows_after(const Iteration& iteration, i64 step, const Rows& wanted);

/// The rows of each value of the body from which rows of the next states are made.
std::vector<Rows> rows_of_body(const Iteration& iteration, const Rows& next);

/// The rows of each value of the body in a step, from 1 on.
std::vector<Rows> rows_of_step(const Iteration& iteration, i64 step, const Rows& wanted);

/// True of a node of the body whose values are in memory of their own in a step: no state takes them, or other nodes
/// read them.
bool is_beside(const Iteration& iteration, int value);

/// Values in memory beside operands and results: two times the states, and the nodes that are beside.
i64 values_beside(const Iteration& iteration, const Rows& wanted);

}  // namespace terrace::graph
