// The heat equation, explicit in time, spacing 1.
#pragma once

#include "kernels/stencil/operator.hpp"
#include "kernels/stencil/operators/laplacian.hpp"

namespace terrace::stencil {

/// u + dt*D*(sum of the neighbours - 2*rank*u), D taken at the cell.
template <int rank_>
struct Heat {
  using Kernel = Heat;
  static constexpr int rank = rank_, fields = 1, radius = 1;
  static constexpr const char* field_names[fields] = {"grid"};
  static constexpr bool has_step = true, own_faces = false;
  static constexpr double operations = rank == 2 ? 5 : 7;  // in three dimensions not measured by a limit
  static constexpr OwnArray own_array = OwnArray::optional;
  static constexpr int handed = 1;  // neighbours_but_last()
  static constexpr unsigned near = 1;
  static constexpr bool corners = false;

  template <class T>
  struct Constants {
    T dt;
    Quantity<T> diffusivity;
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    return {static_cast<T>(reader.number("dt")), reader.quantity("diffusivity")};
  }
  /// dt*D.
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static V factor(const Constants<T>& k, const At& at) {
    return times(V(k.dt), value_of<V>(k.diffusivity, at));
  }
  template <class V, class At>
  TERRACE_HOST_DEVICE static void begin(const At& at, V (&neighbours)[handed]) {
    neighbours[0] = neighbours_but_last<rank, V>(at);
  }
  template <class V, class At>
  TERRACE_HOST_DEVICE static void end(V factor, const At& at, const V (&neighbours)[handed], V (&made)[fields]) {
    made[0] = fused(factor, laplacian<rank>(neighbours[0], at), V(at(0, 0, 0, 0)));
  }
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {
    const V scale = factor<V>(k, at);
    V neighbours[handed];
    begin(at, neighbours);
    end(scale, at, neighbours, made);
  }
};

struct Heat2d : Heat<2> {
  static constexpr const char* name = "heat2d";
  static constexpr const char* help = "the heat equation in two dimensions, explicit Euler steps, spacing 1";
  static constexpr const char* formula =
      "u: fma(dt*D, fma(-4, u, ((u[-1,0] + u[0,-1]) + u[0,1]) + u[1,0]), u)\n"
      "# u is the grid, D the diffusivity at the cell";
};
struct Heat3d : Heat<3> {
  static constexpr const char* name = "heat3d";
  static constexpr const char* help = "the heat equation in three dimensions, explicit Euler steps, spacing 1";
  static constexpr const char* formula =
      "u: fma(dt*D, fma(-6, u, ((((u[-1,0,0] + u[0,-1,0]) + u[0,0,-1]) + u[0,0,1]) + u[0,1,0]) + u[1,0,0]), u)\n"
      "# u is the grid, D the diffusivity at the cell";
};

}  // namespace terrace::stencil
