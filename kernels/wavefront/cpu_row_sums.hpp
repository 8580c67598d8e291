// One row of a summed-area table: E(i, j+1) = E(i, j) + s(i, j), H(i, j) = H(i-1, j) + E(i, j+1).
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace terrace::wavefront {

/// Holds any sum of two sums of T exactly.
__extension__ typedef __int128 Wide128;
template <class T>
using Wide =
    std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<sizeof(T) == 4, std::int64_t, Wide128>>;

/// Part of a row: `count` values of the grid of type G, H above them, replaced by H of this row, and where H goes in
/// the table as well (null: nowhere).
template <class G, class T>
struct RowPart {
  const G* grid;
  T* h;
  T* table;
  std::int64_t count;
};

/// The unsigned integer as wide as T: it wraps.
template <class T>
using Unsigned = std::make_unsigned_t<T>;

/// A 128-bit pack of T's unsigned type.
template <class T>
struct Quad {
  typedef Unsigned<T> Vector __attribute__((vector_size(16)));
  static constexpr int lanes = 16 / static_cast<int>(sizeof(T));
};

/// Sums of the lanes up to and including each one.
template <class T>
typename Quad<T>::Vector running_sums(typename Quad<T>::Vector v) {
  using Vector = typename Quad<T>::Vector;
  auto moved = [](Vector w, auto bytes) {
    return reinterpret_cast<Vector>(_mm_slli_si128(reinterpret_cast<__m128i>(w), decltype(bytes)::value));
  };
  v += moved(v, std::integral_constant<int, sizeof(T)>{});
  if constexpr (sizeof(T) == 4) v += moved(v, std::integral_constant<int, 8>{});
  return v;
}

template <class T>
typename Quad<T>::Vector last_lane(typename Quad<T>::Vector v) {
  using Vector = typename Quad<T>::Vector;
  const __m128i w = reinterpret_cast<__m128i>(v);
  return reinterpret_cast<Vector>(sizeof(T) == 4 ? _mm_shuffle_epi32(w, 0xFF) : _mm_unpackhi_epi64(w, w));
}

/// Values of the grid as lanes of T, modulo the width of T.
template <class T, class G>
typename Quad<T>::Vector load_grid(const G* grid) {
  typename Quad<T>::Vector v;
  if constexpr (sizeof(G) == sizeof(T)) {
    std::memcpy(&v, grid, 16);
  } else {
    for (int i = 0; i < Quad<T>::lanes; ++i) v[i] = static_cast<Unsigned<T>>(grid[i]);
  }
  return v;
}

/// Computes elements [begin, end) one at a time; returns E after them. All sums wrap.
template <class G, class T>
Unsigned<T> add_one_by_one(const RowPart<G, T>& part, std::int64_t begin, std::int64_t end, Unsigned<T> e) {
  for (std::int64_t j = begin; j < end; ++j) {
    e = static_cast<Unsigned<T>>(e + static_cast<Unsigned<T>>(part.grid[j]));
    part.h[j] = static_cast<T>(static_cast<Unsigned<T>>(part.h[j]) + e);
    if (part.table != nullptr) part.table[j] = part.h[j];
  }
  return e;
}

/// Integer sums that wrap; the table is written past the caches, which it would only drive out.
/// @return E after the part, modulo the width of T
template <class G, class T>
Unsigned<T> add_wrapping(const RowPart<G, T>& part, Unsigned<T> e) {
  using Vector = typename Quad<T>::Vector;
  constexpr std::int64_t lanes = Quad<T>::lanes;
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(part.table) % 16 / sizeof(T));
  const std::int64_t begin = std::min(part.count, misaligned == 0 ? 0 : lanes - misaligned);
  const std::int64_t end = begin + (part.count - begin) / lanes * lanes;
  Vector carry = Vector{} + add_one_by_one(part, 0, begin, e);
  for (std::int64_t j = begin; j < end; j += lanes) {
    const Vector sums = running_sums<T>(load_grid<T>(part.grid + j)) + carry;
    carry = last_lane<T>(sums);
    Vector h;
    std::memcpy(&h, part.h + j, 16);
    h += sums;
    std::memcpy(part.h + j, &h, 16);
    if (part.table != nullptr) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(part.table + j), reinterpret_cast<__m128i>(h));
    }
  }
  return add_one_by_one(part, end, part.count, carry[0]);
}

/// Exact sums. @return false where one does not fit T
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

/// The largest magnitude among `count` values; at most that of the type.
template <class T, class G>
Wide<T> largest_magnitude(const G* values, std::int64_t count) {
  G low = 0, high = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    low = std::min(low, values[j]);
    high = std::max(high, values[j]);
  }
  return std::max(-static_cast<Wide<T>>(low), static_cast<Wide<T>>(high));
}

/// Integer sums, an error where one does not fit T. Rows whose sums are sure to fit, by the largest magnitudes of
/// what goes into them, wrap as little as those that were checked one by one, and go fast.
/// @param bound at least the largest magnitude of part.h; kept up to date
/// @return false where a sum does not fit
template <class G, class T>
bool add_bounded(const RowPart<G, T>& part, Wide<T>& e, Wide<T>& bound) {
  constexpr Wide<T> most = std::numeric_limits<T>::max();
  const Wide<T> peak = sizeof(G) < sizeof(T) ? std::max(-static_cast<Wide<T>>(std::numeric_limits<G>::min()),
                                                        static_cast<Wide<T>>(std::numeric_limits<G>::max()))
                                             : largest_magnitude<T>(part.grid, part.count);
  const Wide<T> run = (e < 0 ? -e : e) + peak * static_cast<Wide<T>>(part.count);
  if (bound + run > most) bound = largest_magnitude<T>(part.h, part.count);
  if (bound + run > most) {
    bound = most;
    return add_checking(part, e);
  }
  bound += run;
  e = static_cast<T>(add_wrapping(part, static_cast<Unsigned<T>>(e)));
  return true;
}

/// Floating-point sums of `rows` rows at once, each from left to right.
/// @param parts, e of each row; `h` is that of parts[0], above the first of them
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
