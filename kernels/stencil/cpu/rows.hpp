// The work that the kernels of an instruction set do: a piece of a row, one step.
#pragma once

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/finite.hpp"
#include "kernels/stencil/operator_list.hpp"
#include "kernels/stencil/rules/change.hpp"

namespace terrace::stencil {

/// An index of a periodic axis, any number of times around it, in [0, extent).
TERRACE_HOST_DEVICE constexpr i64 wrapped_index(i64 index, i64 extent) {
  if (index >= 0 && index < extent) return index;
  return (index % extent + extent) % extent;
}

template <class T>
class WrittenRows;

/// A piece of a row along the last axis. Pointers to rows are to the value at index 0, which need not be there.
template <class T>
struct RowWork {
  /// Rows of the step before: of each field 2 * radius + 1 along axis 0 times 2 * middle + 1 along axis 1.
  const T* const* around;
  T* made[most_fields];
  const T* const* arrays;  // the row of each constant array
  i64 begin, end;          // indices of the cells to make
  i32 radius, middle;      // middle: the radius along axis 1, 0 if the grid does not have it
  i32 kept;                // not 0: all cells keep their values
  i32 at_face;             // not 0: the row is within the radius of a face of axis 0 or 1
  Faces faces;             // of the last axis; periodic: nothing is outside
  const T* outside[4];     // rows of one value each that stand for rows outside
  Position position;       // of the row; its index along the last axis is not set
  Additions<T> additions;
  const void* constants;    // of the formula, Constants<T>
  const T** terms;          // room for a pointer for each term of a sum
  WrittenRows<T>* written;  // of the thread; of formulas that a job writes (written_rows.hpp)

  TERRACE_HOST_DEVICE const T* row(int field, int d0, int d1) const {
    return around[(field * (2 * radius + 1) + d0 + radius) * (2 * middle + 1) + d1 + middle];
  }
};

template <class T>
using MakeRow = void (*)(const RowWork<T>& work);

/// The change of a field's row from one step to the next, as sum_in_order() defines it.
template <class T>
using RowChange = double (*)(const T* before, const T* after, i64 count, Norm norm);

/// True if all values are finite.
template <class T>
using AllFinite = bool (*)(const T* values, i64 count);

/// The kernels of a formula.
template <class T>
struct RowKernelsOf {
  MakeRow<T> make_row;
  RowChange<T> change;
  AllFinite<T> all_finite;

  /// Adds the values that are not finite. @param first number of the first value's cell
  void count(const T* values, i64 number, i64 first, NotFinite& found) const {
    if (all_finite(values, number)) return;
    for (i64 i = 0; i < number; ++i) {
      if (!is_finite(values[i])) found.add(first + i);
    }
  }
};
struct RowKernels {
  RowKernelsOf<float> f32;
  RowKernelsOf<double> f64;
};

// The kernels of the formula of that number in Formulas.
namespace sse2 {
RowKernels row_kernels(int formula);
}
namespace avx2 {
RowKernels row_kernels(int formula);
}
namespace avx512 {
RowKernels row_kernels(int formula);
}

}  // namespace terrace::stencil
