// The wave equation, leapfrog in time, spacing 1.
#pragma once

#include "kernels/stencil/operator.hpp"
#include "kernels/stencil/operators/laplacian.hpp"

namespace terrace::stencil {

/// u' = 2u - previous + (c*dt)^2*(sum of the neighbours - 2*rank*u), previous' = u.
template <int rank_>
struct Wave {
  using Kernel = Wave;
  static constexpr int rank = rank_, fields = 2, radius = 1;
  static constexpr const char* field_names[fields] = {"u", "previous"};
  static constexpr bool has_step = true, own_faces = false;
  static constexpr double operations = rank == 2 ? 7 : 9;  // in three dimensions not measured by a limit
  static constexpr OwnArray own_array = OwnArray::optional;
  static constexpr int handed = 1;  // neighbours_but_last()
  static constexpr unsigned near = 1;
  static constexpr bool corners = false;

  template <class T>
  struct Constants {
    T dt;
    Quantity<T> speed;
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    return {static_cast<T>(reader.number("dt")), reader.quantity("speed")};
  }
  /// (dt*c)^2.
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static V factor(const Constants<T>& k, const At& at) {
    const V courant = times(V(k.dt), value_of<V>(k.speed, at));
    return times(courant, courant);
  }
  template <class V, class At>
  TERRACE_HOST_DEVICE static void begin(const At& at, V (&neighbours)[handed]) {
    neighbours[0] = neighbours_but_last<rank, V>(at);
  }
  template <class V, class At>
  TERRACE_HOST_DEVICE static void end(V factor, const At& at, const V (&neighbours)[handed], V (&made)[fields]) {
    const V u = at(0, 0, 0, 0);
    const V drift = minus(plus(u, u), V(at(1, 0, 0, 0)));
    made[0] = fused(factor, laplacian<rank>(neighbours[0], at), drift);
    made[1] = u;
  }
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {
    const V scale = factor<V>(k, at);
    V neighbours[handed];
    begin(at, neighbours);
    end(scale, at, neighbours, made);
  }
};

struct Wave2d : Wave<2> {
  static constexpr const char* name = "wave2d";
  static constexpr const char* help = "the wave equation in two dimensions, two time levels, spacing 1";
  static constexpr const char* formula =
      "u: fma((dt*c)*(dt*c), fma(-4, u, ((u[-1,0] + u[0,-1]) + u[0,1]) + u[1,0]), (u + u) - previous)\n"
      "previous: u\n"
      "# c is the speed at the cell";
};
struct Wave3d : Wave<3> {
  static constexpr const char* name = "wave3d";
  static constexpr const char* help = "the wave equation in three dimensions, two time levels, spacing 1";
  static constexpr const char* formula =
      "u: fma((dt*c)*(dt*c), fma(-6, u, ((((u[-1,0,0] + u[0,-1,0]) + u[0,0,-1]) + u[0,0,1]) + u[0,1,0]) + u[1,0,0]), "
      "(u + u) - previous)\n"
      "previous: u\n"
      "# c is the speed at the cell";
};

}  // namespace terrace::stencil
