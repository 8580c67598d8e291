// One row of a summed-area table: E(i, j+1) = E(i, j) + s(i, j), H(i, j) = H(i-1, j) + E(i, j+1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/wavefront/cpu/sums/sums.hpp"

namespace terrace::wavefront {

/// Holds any sum of two sums of T exactly.
__extension__ typedef __int128 Wide128;
template <class T>
using Wide =
    std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<sizeof(T) == 4, std::int64_t, Wide128>>;

/// Exact sums. @return false if one does not fit T
template <class G, class T>
bool add_checking(const RowPart<G, T>& part, Wide<T>& e) {
  for (std::int64_t j = 0; j < part.count; ++j) {
    e += part.grid[j];
    const Wide<T> h = part.h[j] + e;
    if (h < std::numeric_limits<T>::min() || h > std::numeric_limits<T>::max()) return false;
    part.h[j] = static_cast<T>(h);
    if (part.table != nullptr) part.table[j] = part.h[j];
  }
  return true;
}

/// The same for integers whose sums certainly fit, by the largest magnitudes of the inputs: these take the fast path.
/// @param bound at least the largest magnitude of part.h; kept up to date
/// @return false if a sum does not fit
template <class G, class T>
bool add_bounded(const SumKernels<G, T>& kernels, const RowPart<G, T>& part, Wide<T>& e, Wide<T>& bound) {
  constexpr Wide<T> most = std::numeric_limits<T>::max();
  // For narrow types the type's own range is enough, without reading the values.
  const Wide<T> peak = sizeof(G) < sizeof(T) ? std::max(-static_cast<Wide<T>>(std::numeric_limits<G>::min()),
                                                        Wide<T>{std::numeric_limits<G>::max()})
                                             : static_cast<Wide<T>>(kernels.grid_magnitude(part.grid, part.count));
  const Wide<T> run = (e < 0 ? -e : e) + peak * static_cast<Wide<T>>(part.count);
  if (bound + run > most) bound = static_cast<Wide<T>>(kernels.magnitude(part.h, part.count));
  if (bound + run > most) {
    bound = most;
    return add_checking(part, e);
  }
  bound += run;
  e = kernels.add(part, static_cast<T>(e));
  return true;
}

/// Floating-point sums of `rows` rows at once, each from left to right.
/// @param parts, e of each row; `h` is the h of parts[0], above the first row
template <int rows, class G, class T>
void add_floating(const RowPart<G, T>* parts, T* e) {
  T sums[rows];
  std::copy_n(e, rows, sums);
  for (std::int64_t j = 0; j < parts[0].count; ++j) {
    T h = parts[0].h[j];
    for (int r = 0; r < rows; ++r) {
      sums[r] += static_cast<T>(parts[r].grid[j]);
      h += sums[r];
      if (parts[r].table != nullptr) parts[r].table[j] = h;
    }
    parts[0].h[j] = h;
  }
  std::copy_n(sums, rows, e);
}

}  // namespace terrace::wavefront
