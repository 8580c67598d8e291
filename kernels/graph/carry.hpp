// Carries: rows of an iteration that a slab hands on to the next one.
//
// An iteration of T steps of radius r makes a number of steps in each pass, the last one maybe fewer. Slabs of the
// states are skewed: of rows [begin, end) of the last step, the pass that ends with step t makes rows [begin + (T -
// t) r, end + (T - t) r), so that each row of each pass is made once. From the pass before it reads R rows above
// these, R the radius of a pass, which the slab above has made: of each pass but the last its last 2 R rows are the
// carry.
#pragma once

#include <optional>
#include <vector>

#include "kernels/graph/graph.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/rows.hpp"

namespace terrace::graph {

/// The iterations of a spec that hand rows on, by the first of their nodes: those whose rows in slabs follow one
/// another, as nodes after them read their own rows alone, and whose carry is no larger than the states.
std::vector<int> carriers_of(const GraphSpec& spec);

/// The carrier to which a node belongs, by its place among `carriers`; nullopt: to none.
std::optional<std::size_t> carrier_of(const Graph& graph, const std::vector<int>& carriers, int value);

/// Rows of the carry of an iteration: pass by pass, of each state. @param pass_steps at least 1
i64 carry_rows(const Iteration& iteration, i64 pass_steps);

/// The rows of an iteration's operands that rows of its states are made from, if it hands rows on.
Range rows_reached_by_carrier(const Iteration& iteration, i64 pass_steps, Range rows);

/// The rows of the states in the passes of a slab of an iteration that hands rows on. Passes count from 1 on.
class PassRows {
 public:
  /// @param wanted of the last pass
  PassRows(const Iteration& iteration, i64 pass_steps, const Rows& wanted);

  i64 passes() const;
  /// The rows above and below that a pass reads.
  i64 radius() const;
  /// The rows that a pass makes.
  Range made(i64 pass) const;
  /// These and the ones before them that the slab above has handed on.
  Range there(i64 pass) const;
  /// The rows that this slab hands on.
  Range handed_on(i64 pass) const;
  /// The place in the carry of a row before row `end` of a state after a pass, in rows.
  i64 place(i64 pass, std::size_t state, i64 row, i64 end) const;
  /// The most rows that are there after a pass, or, of passes of one step, of a node of the body.
  i64 most() const;

 private:
  i64 carried() const { return 2 * radius(); }

  const Iteration& iteration_;
  i64 pass_steps_;
  Range wanted_;
};

/// Values in memory beside operands and results of an iteration that hands rows on, in passes of one step.
i64 values_beside(const Iteration& iteration, const PassRows& rows);

/// The rows of a state that all steps make, about, of one that hands nothing on and of one that does.
double rows_made(const Iteration& iteration, const Rows& wanted);
double rows_made(const Iteration& iteration, const PassRows& rows);

}  // namespace terrace::graph
