// The operators as jobs and plans see them, without types. A new operator is one header and one entry in
// operator_list.hpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/stencil/operators/linear.hpp"

namespace terrace::stencil {

/// An operator as jobs see it.
struct OperatorInfo {
  const char* name;
  const char* help;
  const char* formula;
  int rank;         // of its grids; 0: any
  bool linear;      // a sum over offsets with coefficients
  Shape shape;      // of a linear operator's offsets
  int most_radius;  // of a linear operator; else the radius
  std::span<const char* const> fields;
  bool has_step;       // a source is added times dt
  bool own_faces;      // the formula says what happens at faces
  double operations;   // of a cell that is no sum of terms, a multiply-add being one
  OwnArray own_array;  // of a formula in two dimensions
  bool written;        // the job writes its cells as formulas, and chooses its fields
};

/// All operators of the list, in its order.
std::span<const OperatorInfo> operators();
/// The operator `formula`, whose cells a job writes (written.hpp).
extern const OperatorInfo written_operator;
/// The operator of that name, or null.
const OperatorInfo* find_operator(std::string_view name);

/// The terms of a linear operator of that rank and radius in lexicographic order, each with coefficient 1 / number of
/// terms; offsets along the three axes of StencilSpec.
std::vector<Term<double>> terms_of(Shape shape, int rank, int radius);

/// The axis of StencilSpec that is axis `axis` of a grid of rank `rank`.
constexpr int axis_of(int axis, int rank) { return axis == 0 ? 0 : axis == rank - 1 ? 2 : 1; }

}  // namespace terrace::stencil
