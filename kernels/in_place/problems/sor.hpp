// Successive over-relaxation of Laplace's equation.
#pragma once

#include "kernels/in_place/problem.hpp"

namespace terrace::in_place {

inline constexpr Parameter sor_parameters[] = {
    {"omega", ParameterKind::number,
     "relaxation: 1 is Gauss-Seidel, more goes further than the neighbours' average, 0.8 averages five cells", "1",
     nullptr, 0, 2},
};

/// x <- ((((1 - w)*x + s*right) + s*down) + s*up) + s*left with s = w / 4. 1 - w and s are computed in f64 and
/// rounded to the grid's type. With w = 1 this is the Heat2D of Belviranli et al. 2015 ("PeerWave"), with w = 0.8 the
/// average of five cells of Li 2020, ch. 6.
struct Sor {
  static constexpr const char* name = "sor";
  static constexpr const char* help = "successive over-relaxation with the four neighbours, in place";
  static constexpr bool corners = false;
  static constexpr bool weighs = true;
  static constexpr ParameterList parameters{sor_parameters, 1};

  template <class V>
  struct Constants {
    V kept, share;
  };

  template <class Reader>
  static constexpr Constants<double> constants(const Reader& reader) {
    const double omega = reader.number("omega");
    return {1 - omega, omega / 4};
  }
  template <class V>
  TERRACE_HOST_DEVICE static constexpr Constants<V> constants_as(const Constants<double>& k) {
    return {V(k.kept), V(k.share)};
  }
  template <class V, class T>
  TERRACE_HOST_DEVICE static constexpr V weigh(const Constants<T>& k, V value) {
    return times(V(k.share), value);
  }
  template <class V, class T>
  TERRACE_HOST_DEVICE static constexpr V cell(const Constants<T>& k, const Neighbourhood<V>& n) {
    return add(add(add(add(times(V(k.kept), n.self), n.right), n.down), n.up), n.left);
  }
};

}  // namespace terrace::in_place
