// Sources that tests compile.
#pragma once

#include <iostream>

#include "kernels/compiled/compiler.hpp"

namespace terrace::test {

/// False, after a line with the reason, if there is no compiler.
inline bool has_compiler() {
  const std::string why = compiled::Compiler::why_missing();
  if (!why.empty()) std::cout << "SKIPPED: " << why << std::endl;
  return why.empty();
}

/// A kernel as small as can be. @param number by which sources differ
inline compiled::Source small_source(int number) {
  return {"__global__ void store_kernel(int* to) { *to = " + std::to_string(number) + "; }\n", {"store_kernel"}};
}

/// A formula: the heat equation as a job might have it. @param includes the headers of the kernels that it is for
inline std::string heat_formula(const std::string& includes) {
  return includes + R"(
namespace terrace::stencil {
struct Cell {
  using Kernel = Cell;
  static constexpr int rank = 2, fields = 1, radius = 1;
  static constexpr bool has_step = true, own_faces = false;

  template <class T>
  struct Constants {
    T dt;
  };
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {
    const V sides = plus(plus(at(0, -1, 0, 0), at(0, 1, 0, 0)), plus(at(0, 0, 0, -1), at(0, 0, 0, 1)));
    made[0] = fused(V(k.dt), fused(V(T(-4)), at(0, 0, 0, 0), sides), at(0, 0, 0, 0));
  }
};
}  // namespace terrace::stencil
)";
}

/// A step of it at a time.
inline compiled::Source step_source() {
  return {heat_formula("#include \"kernels/stencil/cuda/steps/kernel.cuh\"\n"),
          {"terrace::stencil::step_kernel<terrace::stencil::Cell, float>"}};
}

}  // namespace terrace::test
