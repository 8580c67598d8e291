// Sums over a star or a box of radius 1 in two dimensions as formulas whose terms the compiler knows.
#pragma once

#include "kernels/stencil/cuda/rows/formula_stream.cuh"
#include "kernels/stencil/cuda/rows/near_sum.hpp"
#include "kernels/stencil/operators/linear.hpp"

namespace terrace::stencil {

/// As LinearSum of the terms of a star or a box of radius 1, in lexicographic order.
template <bool box>
struct NearSum {
  static constexpr int rank = 2, fields = 1, radius = 1;
  static constexpr bool has_step = false, own_faces = false;
  static constexpr OwnArray own_array = OwnArray::none;
  static constexpr int terms = box ? 9 : 5;

  template <class T>
  struct Constants {
    T coefficient[terms];
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    Constants<T> constants;
    for (int i = 0; i < terms; ++i) constants.coefficient[i] = reader.coefficient(i);
    return constants;
  }
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {
    V sum{};
    i32 term = 0;
    for (i32 down = -1; down <= 1; ++down) {
      for (i32 right = -1; right <= 1; ++right) {
        if (!box && down != 0 && right != 0) continue;
        const V coefficient = k.coefficient[term], value = at(0, down, 0, right);
        sum = term == 0 ? times(coefficient, value) : fused(coefficient, value, sum);
        ++term;
      }
    }
    made[0] = sum;
  }
};

template <class T, bool box>
std::unique_ptr<device::BlockKernel> CudaNearSum<T, box>::make(const StencilSpec& spec, device::Context& context,
                                                               void* workspace) {
  return make_formula_stream<NearSum<box>, T, LinearSum>(spec, context, workspace);
}

}  // namespace terrace::stencil
