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

  template <class T>
  struct Constants {
    T dt;
    Quantity<T> speed;
  };
  template <class T, class Reader>
  static Constants<T> constants(const Reader& reader) {
    return {static_cast<T>(reader.number("dt")), reader.quantity("speed")};
  }
  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {
    const V courant = times(V(k.dt), value_of<V>(k.speed, at));
    const V u = at(0, 0, 0, 0);
    const V drift = minus(plus(u, u), V(at(1, 0, 0, 0)));
    made[0] = fused(times(courant, courant), laplacian<rank, V, T>(at), drift);
    made[1] = u;
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
