// A cell with what surrounds its formula: the source that is added, the mask, and faces.
#pragma once

#include "kernels/stencil/operator.hpp"

namespace terrace::stencil {

/// The settings of a stencil that all formulas share.
template <class T>
struct Additions {
  i32 source = -1, mask = -1;  // numbers of arrays, or -1
  T dt{};                      // the source's factor
  bool by_step = false;        // true: the source is added times dt
};

/// Adds the source to field 0: after the formula, with one rounding.
template <class V, class T, class At, int fields>
TERRACE_HOST_DEVICE void add_source(const Additions<T>& additions, const At& at, V (&made)[fields]) {
  if (additions.source < 0) return;
  const V source = at.array(additions.source);
  made[0] = additions.by_step ? fused(V(additions.dt), source, made[0]) : plus(made[0], source);
}

}  // namespace terrace::stencil
