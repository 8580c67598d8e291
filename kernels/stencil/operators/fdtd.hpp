// Maxwell's equations in two dimensions by finite differences in the time domain, as in PolyBench 4.2.1 (fdtd-2d).
#pragma once

#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// A step updates ey, ex, then hz from the new ey and ex; row 0 of ey becomes the drive's value of the step.
struct Fdtd2d {
  using Kernel = Fdtd2d;
  static constexpr const char* name = "fdtd2d";
  static constexpr const char* help = "Maxwell's equations in two dimensions on staggered fields, driven at row 0";
  static constexpr const char* formula =
      "ey: if(i == 0, drive, fma(-0.5, hz - hz[-1,0], ey))\n"
      "ex: if(j == 0, ex, fma(-0.5, hz - hz[0,-1], ex))\n"
      "hz: if(i + 1 < size(0) && j + 1 < size(1), fma(-0.7, ((ex[0,1] - ex) + ey[1,0]) - ey, hz), hz)\n"
      "# in turn: hz reads the ey and ex of this step; drive has a value a step";
  static constexpr int rank = 2, fields = 3, radius = 1;
  static constexpr const char* field_names[fields] = {"ex", "ey", "hz"};
  static constexpr bool has_step = false, own_faces = true;
  static constexpr double operations = 8;
  static constexpr OwnArray own_array = OwnArray::none;

  template <class T>
  struct Constants {
    const T* drive;
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    return {reader.drive()};
  }
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>&, const At& at, V (&made)[fields]) {
    made[0] = new_ex<V, T>(at, 0);
    made[1] = new_ey<V, T>(at, 0);
    made[2] = new_hz<V, T>(at, new_ex<V, T>(at, 1), made[0], new_ey<V, T>(at, 1), made[1]);
  }
  template <class T, class At>
  TERRACE_HOST_DEVICE static void rim_cell(const Constants<T>& k, const At& at, const Position& p,
                                           T (&made)[fields]) {
    const i64 i = p.index[0], j = p.index[2];
    made[0] = j > 0 ? new_ex<T, T>(at, 0) : T(at(0, 0, 0, 0));
    made[1] = i > 0 ? new_ey<T, T>(at, 0) : k.drive[p.step];
    made[2] = at(2, 0, 0, 0);
    if (i + 1 < p.extent[0] && j + 1 < p.extent[2]) {
      made[2] = new_hz<T, T>(at, new_ex<T, T>(at, 1), made[0], new_ey<T, T>(at, 1), made[1]);
    }
  }

 private:
  /// ex a number of columns to the right, after this step; not in column 0.
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static V new_ex(const At& at, i32 right) {
    return fused(V(T(-0.5)), minus(V(at(2, 0, 0, right)), V(at(2, 0, 0, right - 1))), V(at(0, 0, 0, right)));
  }
  /// ey a number of rows below, after this step; not in row 0.
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static V new_ey(const At& at, i32 down) {
    return fused(V(T(-0.5)), minus(V(at(2, down, 0, 0)), V(at(2, down - 1, 0, 0))), V(at(1, down, 0, 0)));
  }
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static V new_hz(const At& at, V ex_right, V ex, V ey_below, V ey) {
    return fused(V(T(-0.7)), minus(plus(minus(ex_right, ex), ey_below), ey), V(at(2, 0, 0, 0)));
  }
};

}  // namespace terrace::stencil
