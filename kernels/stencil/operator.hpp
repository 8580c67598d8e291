// The concept of a stencil operator: the update of a cell from a neighbourhood of the step before.
//
// A grid has one to three axes and one or more fields of the same shape. A step makes every cell of every field anew,
// from the fields of the step before; cells within the operator's radius of a fixed face keep their values.
//
// An operator O is a struct without data:
//
//   static constexpr const char* name;         as in a job; several operators may be of one type (operator_list.hpp)
//   static constexpr int fields;               number of fields, at most most_fields
//   static constexpr const char* field_names[fields];
//   static constexpr int radius;               along every axis; 0: chosen by the job (terms)
//   static constexpr bool has_step;            true if a source is added times dt
//   static constexpr bool own_faces;           true if the formula itself says what happens at faces: rim_cell()
//   static constexpr double operations;        of a cell, a multiply-add being one; of terms: one a term
//   static constexpr OwnArray own_array;       radius 1 in two dimensions: the constant array that the formula reads
//   template <class T> struct Constants;       the operands of a cell, of the grid's type
//   template <class T, class Reader> static Constants<T> constants(const Reader& reader);
//       reader.number("dt"): a number in f64; reader.quantity("diffusivity"): a Quantity<T>;
//       reader.array("power"): the number of an array; reader.terms(): Terms<T>; reader.drive(): the values of a
//       series, one a step
//   template <class V, class T, class At> static void cell(const Constants<T>& k, const At& at, V (&made)[fields]);
//       at(field, d0, d1, d2): the value of the step before at these offsets along the axes; unused axes of grids of
//       lower rank are the middle ones (axes_of); at.array(number): the value of a constant array at the cell
//   template <class T, class At> static void rim_cell(const Constants<T>& k, const At& at, const Position& position,
//                                                     T (&made)[fields]);
//       with own_faces alone: the same for any cell of the grid, which asks `at` for no value outside. Of the
//       position the distances to the grid's ends count, up to the radius: kernels may give another one with the same
//       ones.
//
// In three dimensions, with radius 1, cells may be made in two parts; kernels then stream planes (cuda/planes/):
//
//   static constexpr int handed;               values that the first part hands on to the second
//   static constexpr unsigned near;            fields of which neighbours in the cell's plane are read, a bit each
//   static constexpr bool corners;             true if neighbours along both axes of the plane are read, too
//   template <class V, class T, class At> static V factor(const Constants<T>& k, const At& at);
//       the operand of the second part; reads constant arrays alone
//   template <class V, class At> static void begin(const At& at, V (&values)[handed]);
//       reads cells of the plane, and of the plane above the one above the cell: at(field, -1, 0, 0)
//   template <class V, class At>
//   static void end(V factor, const At& at, const V (&values)[handed], V (&made)[fields]);
//       reads the cell itself and the one below it: at(field, 1, 0, 0)
//
// The order of operations in `cell` is a part of the definition: each is rounded by itself, and fused() alone rounds
// once. So every way of computing gives the same bits (a NaN stays a NaN). V is T or a pack of SIMD lanes of it.
#pragma once

#include "kernels/stencil/boundary.hpp"
#include "kernels/values/operations.hpp"
#include "kernels/values/rounded.hpp"
#include "pipeline/base/parameter.hpp"

namespace terrace::stencil {

inline constexpr int most_fields = 8, most_radius = 8, most_arrays = 32;

/// A number, or a number a cell.
template <class T>
struct Quantity {
  T value{};
  i32 array = -1;  // number of the array of its values, or -1
};

/// A term of a sum over offsets: coefficient times the value at the offset.
template <class T>
struct Term {
  i32 offset[3];
  i32 array = -1;  // number of the array of its coefficients, or -1
  T coefficient{};
};

/// The terms of a sum, in its order.
template <class T>
struct Terms {
  const Term<T>* list = nullptr;
  i32 count = 0;
};

/// The constant array that a formula reads, in addition to a source and a mask.
enum class OwnArray {
  none,
  optional,  // a Quantity
  required
};

/// True if cells of O are made in two parts.
template <class O>
concept InTwoParts = requires {
  requires O::rank == 3 && O::radius == 1;
  O::handed;
};

/// The place of a cell, for formulas that depend on it: indices and extents of the three axes, and the step that is
/// made, from 0.
struct Position {
  i64 index[3], extent[3];
  i64 step;
};

// Operations of `cell` for scalars. Packs bring overloads of the same names.
using values::fused;
using values::minus;
using values::plus;
using values::times;

/// The value of a quantity at the cell.
template <class V, class T, class At>
TERRACE_HOST_DEVICE constexpr V value_of(const Quantity<T>& quantity, const At& at) {
  return quantity.array < 0 ? V(quantity.value) : V(at.array(quantity.array));
}

}  // namespace terrace::stencil
