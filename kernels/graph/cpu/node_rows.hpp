// Rows of one node on the CPU.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kernels/graph/cpu/compiled_cells.hpp"
#include "kernels/graph/cpu/formula_rows.hpp"
#include "kernels/graph/cpu/row_sums.hpp"
#include "kernels/graph/cpu/stored_rows.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operator_list.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {

/// The rows of the operands from which cells of a node are made; entry 0 is row `first`, which may lie outside.
template <class T>
struct OperandRows {
  std::array<const T* const*, most_operands> rows{};
  std::array<i64, most_operands> first{};
  Shape operand;
};

/// Values of columns that are inside of the operands.
template <class T>
struct InsideReader {
  const OperandRows<T>& from;

  const T* row(int operand, i64 i) const {
    const auto at = static_cast<std::size_t>(operand);
    return from.rows[at][i - from.first[at]];
  }
  T operator()(int operand, i64 i, i64 j) const { return row(operand, i)[j]; }
  Shape shape() const { return from.operand; }
};

/// Values of any columns.
template <class T>
struct BoundaryReader {
  const OperandRows<T>& from;
  Boundary boundary;
  T value;

  T operator()(int operand, i64 i, i64 j) const {
    const auto at = static_cast<std::size_t>(operand);
    const i64 inside = index_inside(j, from.operand.columns, boundary);
    return inside == outside ? value : from.rows[at][i - from.first[at]][inside];
  }
  Shape shape() const { return from.operand; }
};

/// Makes rows of a node from rows of its operands. Threads share it; each has RowPointers of its own.
template <class T>
class NodeRows {
 public:
  /// @param compiled the formulas' cells; null: strips make them
  NodeRows(const Graph& graph, const Node& node, const CompiledCells* compiled)
      : graph_(graph), node_(node), numbers_(node.settings.numbers.begin(), node.settings.numbers.end()) {
    make_ = nullptr;
    if (node.settings.formula) {
      take_formula(compiled);
    } else {
      Operators::visit(node.op, [&]<class Op>(Op) { make_ = &make<Op>; });
      find_inner();
    }
  }
  NodeRows(const NodeRows&) = delete;
  NodeRows& operator=(const NodeRows&) = delete;

  /// Takes the numbers that a block brings, which outlive it.
  void take_numbers(const double* known) {
    if (!node_.settings.known.empty()) numbers_ = numbers_of<T>(node_.settings, known);
    known_ = {known, static_cast<std::size_t>(graph_.numbers)};
  }

  /// Lets threads keep the sums of rows from one row to the next, where an operator sums them first.
  void keep_sums(bool keeps) { keeps_sums_ = keeps; }

  /// The addresses of the operands' rows for a row of the node.
  struct RowPointers {
    std::array<std::vector<const T*>, most_operands> rows;
    std::array<Range, most_operands> ranges{};
    std::vector<T> beyond;  // a row outside where the boundary is a value
    std::unique_ptr<FormulaFrame<T>> formula;
    RowSums<T> sums;
    TermSums<T> terms{sum_terms<T>()};

    /// Operands have moved.
    void forget() {
      ranges.fill({});
      sums.forget();
    }
  };

  /// Makes row i. @param operands the rows that reach_of() tells are there
  void make_row(i64 i, const std::vector<StoredRows<T>>& operands, RowPointers& pointers, T* made) const {
    if (formula_) {
      if (!pointers.formula) pointers.formula = std::make_unique<FormulaFrame<T>>(*formula_);
      return pointers.formula->make_row(i, operands, &made);
    }
    OperandRows<T> from;
    from.operand = graph_.shape(node_.operands[0]);
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
      const Area area =
          reach_of(graph_, node_, static_cast<int>(operand), {{i, i + 1}, {0, node_.shape.columns}}, known_);
      if (area.rows != pointers.ranges[operand]) point(area.rows, operands[operand], pointers, operand);
      from.rows[operand] = pointers.rows[operand].data();
      from.first[operand] = area.rows.begin;
    }
    make_(*this, from, i, pointers, made);
  }

 private:
  void take_formula(const CompiledCells* compiled) {
    std::vector<FormulaSource> sources;
    sources.reserve(node_.operands.size());
    for (int operand = 0; operand < static_cast<int>(node_.operands.size()); ++operand) {
      sources.push_back({operand, node_.settings.boundary, node_.settings.boundary_value});
    }
    const formula::Formula& cells = node_.settings.formula->cells;
    const MakeCells<T> made = compiled == nullptr ? nullptr : compiled->of<T>(cells);
    formula_ = std::make_unique<FormulaRows<T>>(cells, std::move(sources), node_.shape, made);
  }
  void point(Range range, const StoredRows<T>& stored, RowPointers& pointers, std::size_t operand) const {
    std::vector<const T*>& rows = pointers.rows[operand];
    rows.clear();
    for (i64 row = range.begin; row < range.end; ++row) {
      const i64 inside = index_inside(row, from_rows(operand), node_.settings.boundary);
      if (inside == outside && pointers.beyond.empty()) {
        pointers.beyond.assign(static_cast<std::size_t>(stored.columns), T(node_.settings.boundary_value));
      }
      rows.push_back(inside == outside ? pointers.beyond.data() : stored.row(inside));
    }
    pointers.ranges[operand] = range;
  }
  i64 from_rows(std::size_t operand) const { return graph_.shape(node_.operands[operand]).rows; }

  /// Finds the columns whose cells read nothing outside.
  void find_inner() {
    const i64 columns = node_.shape.columns;
    while (inner_.begin < columns && !is_inner(inner_.begin)) ++inner_.begin;
    inner_.end = columns;
    while (inner_.end > inner_.begin && !is_inner(inner_.end - 1)) --inner_.end;
  }
  bool is_inner(i64 column) const {
    for (std::size_t operand = 0; operand < node_.operands.size(); ++operand) {
      const Area area = reach_of(graph_, node_, static_cast<int>(operand), {{0, 1}, {column, column + 1}});
      if (area.columns.begin < 0 || area.columns.end > graph_.shape(node_.operands[operand]).columns) return false;
    }
    return true;
  }

  template <class Op>
  static void make(const NodeRows& own, const OperandRows<T>& from, i64 i, RowPointers& pointers,
                   T* __restrict made) {
    const Constants<T> k = constants_of(own.node_.settings, own.numbers_.data());
    const InsideReader<T> inside{from};
    const BoundaryReader<T> any{from, own.node_.settings.boundary, T(own.node_.settings.boundary_value)};
    if constexpr (SumsTerms<Op>) {
      if (Op::sums_terms(k)) {
        return make_from_terms<Op>(k, inside, any, own.inner_, own.node_.shape.columns, i, pointers.terms, made);
      }
    }
    if constexpr (SumsRows<Op>) {
      if (own.keeps_sums_ && k.row_radius > 0 && Op::sums_rows(k)) {
        return make_from_sums<Op>(k, inside, any, own.inner_, own.node_.shape.columns, i, pointers.sums,
                                  pointers.terms, made);
      }
    }
    if (k.row_radius == 2 && k.column_radius == 2) {
      Constants<T> near = k;
      near.row_radius = near.column_radius = 2;
      return make_cells<Op>(own, from, i, made, near);
    }
    if (k.row_radius != 1 || k.column_radius != 1) return make_cells<Op>(own, from, i, made, k);
    // Loops over a neighbourhood of a known size are unrolled, and cells beside one another become vectors.
    Constants<T> near = k;
    near.row_radius = near.column_radius = 1;
    near.axis = 0;
    if (k.axis == 0) return make_cells<Op>(own, from, i, made, near);
    near.axis = 1;
    make_cells<Op>(own, from, i, made, near);
  }
  template <class Op>
  [[gnu::always_inline]] static void make_cells(const NodeRows& own, const OperandRows<T>& from, i64 i,
                                                T* __restrict made, const Constants<T>& k) {
    const InsideReader<T> inside{from};
    const BoundaryReader<T> any{from, own.node_.settings.boundary, T(own.node_.settings.boundary_value)};
    const Range inner = own.inner_;
    for (i64 j = 0; j < inner.begin; ++j) made[j] = Op::cell(k, any, i, j);
    for (i64 j = inner.begin; j < inner.end; ++j) made[j] = Op::cell(k, inside, i, j);
    for (i64 j = inner.end; j < own.node_.shape.columns; ++j) made[j] = Op::cell(k, any, i, j);
  }

  const Graph& graph_;
  const Node& node_;
  std::vector<T> numbers_;
  std::span<const double> known_;
  bool keeps_sums_ = false;
  std::unique_ptr<FormulaRows<T>> formula_;
  Range inner_;
  void (*make_)(const NodeRows&, const OperandRows<T>&, i64, RowPointers&, T*);
};

}  // namespace terrace::graph
