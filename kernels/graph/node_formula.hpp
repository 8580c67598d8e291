// The formula of a node that a job writes: operator `formula`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/formula/formula.hpp"
#include "kernels/graph/graph.hpp"

namespace terrace::graph {

/// The most operands of a formula.
inline constexpr std::size_t most_formula_operands = 16;

/// Cells of which a read of number n is of operand n, with offsets along rows and columns; indices and extents of
/// axis 0 are of rows, of axis 1 of columns.
struct NodeFormula {
  formula::Formula cells;             // with one result
  std::vector<formula::Reach> reach;  // of each operand
};

/// An array as formulas of several results read it.
struct FormulaSource {
  int operand = 0;
  Boundary boundary = Boundary::symmetric;
  double boundary_value = 0;

  friend bool operator==(const FormulaSource&, const FormulaSource&) = default;
};

/// The offsets at which a formula reads a source.
formula::Reach reach_of_source(const formula::Formula& cells, int source);

/// Parses and checks a formula. @param names of the operands, in their order @param shape of all of them
/// @param type in which the graph is computed @throws formula::Fault
std::shared_ptr<const NodeFormula> parse_node_formula(const std::string& text, const std::vector<std::string>& names,
                                                      Shape shape, ElementType type);

/// The settings of a node whose cells are a formula.
NodeSettings settings_of(std::shared_ptr<const NodeFormula> formula, Boundary boundary, double boundary_value = 0);

/// The text of a formula names aside: equal for equal formulas. @throws formula::Fault of a text that is no formula
std::string canonical_formula(const std::string& text, const std::vector<std::string>& names);

}  // namespace terrace::graph
