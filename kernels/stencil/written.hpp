// The cells of a stencil that a job writes as formulas: operator `formula`.
#pragma once

#include <vector>

#include "kernels/formula/evaluate.hpp"
#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// The farthest cell that a formula reads along an axis in three dimensions; most_radius in others.
inline constexpr int most_written_radius_3d = 4;

/// The formulas of a step. Of their nodes (formula/formula.hpp) a read of number f is of field f, with offsets along
/// the axes of StencilSpec; a read of number `fields` + a is of constant array a, at the cell; series s has its value
/// of step t at StencilSpec::drive[s * series_steps + t]; indices, extents and the step are i64.
struct Written {
  formula::Formula cells;  // a result a field, of the grid's type
  int fields = 1;
  i64 series_steps = 0;
  /// The formulas for cells whose neighbours are all in the grid: conditions on the place that hold there are
  /// decided.
  formula::Formula inner;
  /// True if the formulas themselves say what happens at faces: they read nothing outside the grid, depend on the
  /// cell's place by its distances to the ends alone, and no cell keeps its values.
  bool own_faces = false;
};

/// The numbers of the constant arrays that the formulas read, ascending.
std::vector<int> own_arrays(const Written& written);

/// True if the formulas depend on the cell's place or on the step where they are made in packs: with faces of their
/// own in inner cells, else anywhere.
bool depends_on_place(const Written& written);

/// These formulas as an operator (operator.hpp) for code on the host that makes a cell at a time, as they are
/// defined.
struct WrittenFormula {
  using Kernel = WrittenFormula;
  static constexpr const char* name = "formula";
  static constexpr int fields = most_fields;  // at most
  static constexpr bool has_step = false, own_faces = false;

  template <class T>
  struct Constants {
    const Written* written;
    const T* series;
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    return {reader.written(), reader.drive()};
  }
  /// Makes a cell whose neighbours `at` gives, of the place `p`.
  template <class T, class At>
  static void cell_at(const Constants<T>& k, const At& at, const Position& p, T (&made)[fields]) {
    static thread_local std::vector<formula::CellValue> values;
    const formula::Formula& cells = k.written->cells;
    formula::evaluate(
        cells,
        [&](const formula::Node& node) -> formula::CellValue {
          const auto axis = static_cast<std::size_t>(node.number);
          switch (node.operation) {
            case formula::Operation::read:
              if (node.number >= k.written->fields) return {at.array(node.number - k.written->fields), 0};
              return {at(node.number, node.offset[0], node.offset[1], node.offset[2]), 0};
            case formula::Operation::series:
              return {k.series[node.number * k.written->series_steps + p.step], 0};
            case formula::Operation::index:
              return {0, p.index[axis] + node.offset[0]};
            case formula::Operation::extent:
              return {0, p.extent[axis]};
            default:  // step
              return {0, p.step};
          }
        },
        values);
    for (std::size_t f = 0; f < cells.results().size(); ++f) {
      made[f] = static_cast<T>(values[static_cast<std::size_t>(cells.results()[f])].real);
    }
  }
};

/// Makes a cell of any operator by its definition.
template <class F, class T, class At>
void make_by_definition(const typename F::template Constants<T>& k, const At& at, const Position& p,
                        T (&made)[F::fields]) {
  if constexpr (std::is_same_v<F, WrittenFormula>) F::cell_at(k, at, p, made);
  else if constexpr (F::own_faces) F::rim_cell(k, at, p, made);
  else F::template cell<T>(k, at, made);
}

}  // namespace terrace::stencil
