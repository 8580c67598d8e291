// The kernel of local alignments in narrow types. Included only by local_sse2.cpp, local_avx2.cpp and
// local_avx512.cpp, each of which is compiled for its instruction set and defines TERRACE_ISA.
#pragma once

#include "kernels/values/cpu_pack.hpp"
#include "kernels/wavefront/cpu/letters/local.hpp"
#include "kernels/wavefront/problem_list.hpp"

namespace terrace::wavefront::TERRACE_ISA {

using namespace values::TERRACE_ISA;

/// Values of a local alignment that count from floor_of<T>: lower values are cut off there, at the 0 of the
/// recurrence (or below all existing values, if the caller counts from a larger one).
template <class T>
struct Floored {
  Pack<T> pack;

  Floored() = default;
  TERRACE_HOST_DEVICE Floored(Pack<T> values) : pack(values) {}
  /// The number, not counted from anywhere, in every lane.
  TERRACE_HOST_DEVICE explicit Floored(i64 value) : pack(value) {}
};

template <class T>
TERRACE_HOST_DEVICE Pack<T> add_saturating(Pack<T> a, Pack<T> b) {
  using Vector [[maybe_unused]] = typename Pack<T>::Vector;
  if constexpr (sizeof(T) == 4) {
    return add(a, b);
  } else {
#if defined(__AVX512BW__)
    const __m512i x = reinterpret_cast<__m512i>(a.v), y = reinterpret_cast<__m512i>(b.v);
    return reinterpret_cast<Vector>(sizeof(T) == 1 ? _mm512_adds_epi8(x, y) : _mm512_adds_epi16(x, y));
#elif defined(__AVX2__)
    const __m256i x = reinterpret_cast<__m256i>(a.v), y = reinterpret_cast<__m256i>(b.v);
    return reinterpret_cast<Vector>(sizeof(T) == 1 ? _mm256_adds_epi8(x, y) : _mm256_adds_epi16(x, y));
#else
    const __m128i x = reinterpret_cast<__m128i>(a.v), y = reinterpret_cast<__m128i>(b.v);
    return reinterpret_cast<Vector>(sizeof(T) == 1 ? _mm_adds_epi8(x, y) : _mm_adds_epi16(x, y));
#endif
  }
}

template <class T>
TERRACE_HOST_DEVICE Pack<T> subtract_saturating(Pack<T> a, Pack<T> b) {
  using Vector [[maybe_unused]] = typename Pack<T>::Vector;
  if constexpr (sizeof(T) == 4) {
    return maximum(subtract(a, b), Pack<T>(0));
  } else {
#if defined(__AVX512BW__)
    const __m512i x = reinterpret_cast<__m512i>(a.v), y = reinterpret_cast<__m512i>(b.v);
    return reinterpret_cast<Vector>(sizeof(T) == 1 ? _mm512_subs_epi8(x, y) : _mm512_subs_epi16(x, y));
#elif defined(__AVX2__)
    const __m256i x = reinterpret_cast<__m256i>(a.v), y = reinterpret_cast<__m256i>(b.v);
    return reinterpret_cast<Vector>(sizeof(T) == 1 ? _mm256_subs_epi8(x, y) : _mm256_subs_epi16(x, y));
#else
    const __m128i x = reinterpret_cast<__m128i>(a.v), y = reinterpret_cast<__m128i>(b.v);
    return reinterpret_cast<Vector>(sizeof(T) == 1 ? _mm_subs_epi8(x, y) : _mm_subs_epi16(x, y));
#endif
  }
}

template <class T>
TERRACE_HOST_DEVICE Floored<T> add(Floored<T> a, Floored<T> b) {
  return add_saturating(a.pack, b.pack);
}
template <class T>
TERRACE_HOST_DEVICE Floored<T> maximum(Floored<T> a, Floored<T> b) {
  return maximum(a.pack, b.pack);
}
template <class T>
TERRACE_HOST_DEVICE Floored<T> select_equal(Floored<T> a, Floored<T> b, Floored<T> if_equal, Floored<T> otherwise) {
  return select_equal(a.pack, b.pack, if_equal.pack, otherwise.pack);
}
template <class T>
TERRACE_HOST_DEVICE Floored<T> subtract_maximum_zero(Floored<T> a, Floored<T> b, Floored<T> c) {
  return maximum(subtract_saturating(a.pack, b.pack), c.pack);
}
template <class T>
TERRACE_HOST_DEVICE Gaps<Floored<T>> gaps_or_zero(Floored<T> h, Floored<T>, Floored<T> e, Floored<T> f,
                                                  Floored<T> first, Floored<T> next) {
  const Pack<T> opened = subtract_saturating(h.pack, first.pack);
  return {maximum(subtract_saturating(e.pack, next.pack), opened),
          maximum(subtract_saturating(f.pack, next.pack), opened)};
}

/// One step of the vector whose first lane is `lane`, two columns of each row; the vector of the lanes before comes
/// after. The rows' loop uses local copies of its inputs, so that its stores cannot seem to change them.
template <class P, bool masked, bool keep, class T>
TERRACE_HOST_DEVICE void compute_vector(BandState<T>& band, const BandStream<T>& stream, i64 number, i64 lane,
                                        const typename P::template Constants<Floored<T>>& constants) {
  using V = Floored<T>;
  constexpr i64 group = vector_bytes;
  const auto k = constants;
  const i64 at = 2 * (number - stream.first), count = band.rows_per_lane;
  Mask<T> active0, active1;
  if constexpr (masked) {
    const i64 most = wavefront::minimum(number, band.last_lane) - lane;
    active0 = lanes_between<T>(number + 1 - (band.columns + 1) / 2 - lane, most);
    active1 = lanes_between<T>(number + 1 - band.columns / 2 - lane, most);
  }
  const auto entering = [&](T* lanes, T outside) {
    return shift_in(Pack<T>::load(lanes + lane), lane == 0 ? outside : lanes[lane - 1]);
  };
  const auto chosen = [](Mask<T> mask, V now, V before) -> V {
    if constexpr (masked) return select(mask, now.pack, before.pack);
    else return now;
  };
  V diagonal = Pack<T>::load(band.corner + lane);
  V up0 = entering(band.bottom_h[0], stream.top_h[at]), up1 = entering(band.bottom_h[1], stream.top_h[at + 1]);
  const V letter0 = entering(band.column_letters[0], stream.letters[at]),
          letter1 = entering(band.column_letters[1], stream.letters[at + 1]);
  V f0 = up0, f1 = up1;
  if constexpr (P::row_planes > 1) {
    f0 = entering(band.bottom_f[0], stream.top_f[at]);
    f1 = entering(band.bottom_f[1], stream.top_f[at + 1]);
  }
  letter0.pack.store(band.column_letters[0] + lane);
  letter1.pack.store(band.column_letters[1] + lane);
  chosen(active1, up1, diagonal).pack.store(band.corner + lane);

  T *const hs = band.h + lane, *const es = band.e + lane, *const bests = band.best + lane;
  const T* const letters = band.letters + lane;
  T* const kept = keep ? stream.kept + at * count * group + lane : nullptr;
  for (i64 row = 0; row < count * group; row += group) {
    const V left = Pack<T>::load(hs + row), letter = Pack<T>::load(letters + row);
    const V e = P::column_planes > 1 ? V(Pack<T>::load(es + row)) : left;
    Cell<V> first = P::template cell<V>(k, {diagonal, up0, left, e, f0}, P::template score<V>(k, letter, letter0));
    first.h = chosen(active0, first.h, left);
    first.e = chosen(active0, first.e, e);
    Cell<V> second =
        P::template cell<V>(k, {up0, up1, first.h, first.e, f1}, P::template score<V>(k, letter, letter1));
    second.h = chosen(active1, second.h, first.h);
    second.e = chosen(active1, second.e, first.e);
    const V best = Pack<T>::load(bests + row), larger = maximum(first.h, second.h);
    maximum(best, chosen(active0, larger, best)).pack.store(bests + row);
    second.h.pack.store(hs + row);
    if constexpr (P::column_planes > 1) second.e.pack.store(es + row);
    if constexpr (keep) {
      first.h.pack.store(kept + row);
      second.h.pack.store(kept + count * group + row);
    }
    diagonal = left;
    up0 = first.h;
    up1 = second.h;
    f0 = first.f;
    f1 = second.f;
  }
  up0.pack.store(band.bottom_h[0] + lane);
  up1.pack.store(band.bottom_h[1] + lane);
  if constexpr (P::row_planes > 1) {
    f0.pack.store(band.bottom_f[0] + lane);
    f1.pack.store(band.bottom_f[1] + lane);
  }
}

template <class P, bool masked, bool keep, class T>
void compute_step(BandState<T>& band, const BandStream<T>& stream, i64 step,
                  const typename P::template Constants<Floored<T>>& k) {
  for (i64 lane = vector_bytes; (lane -= Pack<T>::lanes) >= 0;) {
    compute_vector<P, masked, keep>(band, stream, step, lane, k);
  }
  const i64 at = 2 * (step - stream.first);
  for (int p = 0; p < 2; ++p) {
    stream.bottom_h[at + p] = band.bottom_h[p][band.last_lane];
    if constexpr (P::row_planes > 1) stream.bottom_f[at + p] = band.bottom_f[p][band.last_lane];
  }
}

/// Steps in which every lane is inside the block at both columns need no masks.
template <class P, bool keep, class T>
void compute_steps(BandState<T>& band, const BandStream<T>& stream,
                   const typename P::template Constants<Floored<T>>& k) {
  constexpr i64 lanes = vector_bytes;
  const bool all_lanes = band.last_lane == lanes - 1;
  const i64 begin =
      all_lanes ? wavefront::minimum(wavefront::maximum(stream.first, lanes - 1), stream.last) : stream.last;
  const i64 end = wavefront::maximum(begin, wavefront::minimum(stream.last, band.columns / 2));
  for (i64 step = stream.first; step < begin; ++step) compute_step<P, true, keep>(band, stream, step, k);
  for (i64 step = begin; step < end; ++step) compute_step<P, false, keep>(band, stream, step, k);
  for (i64 step = end; step < stream.last; ++step) compute_step<P, true, keep>(band, stream, step, k);
}

template <class P, class T>
void advance_local(BandState<T>& band, const BandStream<T>& stream, const void* constants) {
  using Wide = typename P::template Constants<i64>;
  const auto k = P::template constants_as<Floored<T>>(*static_cast<const Wide*>(constants));
  if (stream.kept != nullptr) compute_steps<P, true>(band, stream, k);
  else compute_steps<P, false>(band, stream, k);
}

template <class T>
void narrow(const i32* values, i64 count, i32 base, T* narrowed) {
  constexpr i32 most = static_cast<i32>(span_of<T> + 1), floor = floor_of<T>;
  for (i64 i = 0; i < count; ++i) {
    const i32 above = values[i] - base, held = above < 0 ? 0 : above > most ? most : above;
    narrowed[i] = static_cast<T>(held + floor);
  }
}

template <class T>
void widen(const T* narrowed, i64 count, i32 base, i32* values) {
  const i32 floor = base - floor_of<T>;
  for (i64 i = 0; i < count; ++i) values[i] = narrowed[i] + floor;
}

template <class T>
T largest(const T* narrowed, i64 count) {
  T most = floor_of<T>;
  for (i64 i = 0; i < count; ++i) most = narrowed[i] > most ? narrowed[i] : most;
  return most;
}

LocalRange range(const i32* values, i64 count) {
  LocalRange range{values[0], values[0]};
  for (i64 i = 1; i < count; ++i) {
    range.least = values[i] < range.least ? values[i] : range.least;
    range.largest = values[i] > range.largest ? values[i] : range.largest;
  }
  return range;
}

template <class P>
constexpr LocalTypes local_types_of() {
  LocalTypes types;
  if constexpr (narrows_in_chunks<P>) {
    types.bytes = {advance_local<P, i8>, narrow<i8>, widen<i8>, largest<i8>};
    types.words = {advance_local<P, i16>, narrow<i16>, widen<i16>, largest<i16>};
    types.advance_i32 = advance_local<P, i32>;
    types.range = range;
  }
  return types;
}

LocalTypes local_types(int problem) {
  LocalTypes types;
  Problems::visit(problem, [&]<class P>(P) { types = local_types_of<P>(); });
  return types;
}

}  // namespace terrace::wavefront::TERRACE_ISA
