// The vectors of a strip, and what an instruction of a formula reads of registers and memory. Included only by
// sources that define TERRACE_ISA (kernels.hpp).
#pragma once

#include "kernels/formula/cpu/code.hpp"
#include "kernels/values/cpu_pack.hpp"

namespace terrace::formula::strips::TERRACE_ISA {

using values::TERRACE_ISA::Pack;
using values::TERRACE_ISA::vector_bytes;

using V = Pack<float>::Vector;
/// @param offset bytes from the cell 0 of a row to the strip
using Handler = void (*)(const Instruction* at, const Word* words, i64 offset, V, V, V, V, V, V, V, V);

template <int... numbers>
struct Numbers {};
template <int count>
struct UpTo;
template <>
struct UpTo<4> {
  using Type = Numbers<0, 1, 2, 3>;
};
template <>
struct UpTo<8> {
  using Type = Numbers<0, 1, 2, 3, 4, 5, 6, 7>;
};

/// Calls call.operator()<p>() for p = 0 ... count - 1; numbers are known when arrays of vectors become registers.
template <int count, class Call>
TERRACE_HOST_DEVICE void for_each(Call&& call) {
  [&]<int... p>(Numbers<p...>) __attribute__((always_inline)) { (call.template operator()<p>(), ...); }
  (typename UpTo<count>::Type{});
}

/// Vectors of a strip of T.
template <class T, bool wide>
inline constexpr int packs = wide && sizeof(T) == 4 ? held_vectors / 2 : held_vectors;

/// A condition of a strip, as wide as the widest values.
template <bool wide>
struct MaskOf {
  using Type = i32;
};
template <>
struct MaskOf<true> {
  using Type = i64;
};
template <bool wide>
using MaskValue = typename MaskOf<wide>::Type;

template <class To, class From>
TERRACE_HOST_DEVICE To bits_as(From from) {
  return reinterpret_cast<To>(from);
}

/// Half a vector of T.
template <class T>
struct Half {
  typedef T Vector __attribute__((vector_size(vector_bytes / 2)));
};
template <class T>
using HalfOf = typename Half<T>::Vector;

/// Half `number` of a vector.
template <class T>
TERRACE_HOST_DEVICE HalfOf<T> half_of(V vector, int number) {
#if defined(__AVX512F__)
  const __m512i all = reinterpret_cast<__m512i>(vector);
  return reinterpret_cast<HalfOf<T>>(number == 0 ? _mm512_maskz_extracti64x4_epi64(0xFF, all, 0)
                                                 : _mm512_maskz_extracti64x4_epi64(0xFF, all, 1));
#else
  HalfOf<T> half;
  __builtin_memcpy(&half, reinterpret_cast<const char*>(&vector) + number * vector_bytes / 2, sizeof half);
  return half;
#endif
}
template <class Vector>
TERRACE_HOST_DEVICE V joined(Vector low, Vector high) {
#if defined(__AVX512F__)
  const __m512i all = _mm512_castsi256_si512(reinterpret_cast<__m256i>(low));
  return reinterpret_cast<V>(_mm512_maskz_inserti64x4(0xFF, all, reinterpret_cast<__m256i>(high), 1));
#else
  V vector;
  __builtin_memcpy(&vector, &low, sizeof low);
  __builtin_memcpy(reinterpret_cast<char*>(&vector) + sizeof low, &high, sizeof high);
  return vector;
#endif
}
/// Each value converted, in half as many bytes, or twice as many.
template <class To, class From>
TERRACE_HOST_DEVICE auto halved(From from) {
  return __builtin_convertvector(from, HalfOf<To>);
}
template <class To, class From>
TERRACE_HOST_DEVICE typename Pack<To>::Vector doubled(From from) {
  return __builtin_convertvector(from, typename Pack<To>::Vector);
}

TERRACE_HOST_DEVICE float number_in(const Word& word, float) { return word.f32; }
TERRACE_HOST_DEVICE double number_in(const Word& word, double) { return word.f64; }
TERRACE_HOST_DEVICE i64 number_in(const Word& word, i64) { return word.whole; }
TERRACE_HOST_DEVICE i32 number_in(const Word& word, i32) { return static_cast<i32>(word.whole); }

/// The operands of an instruction.
struct Input {
  const Instruction* at;
  const Word* words;
  i64 offset;
  const V* held;

  TERRACE_HOST_DEVICE const Word& word(int operand) const { return words[at->operands[operand]]; }
  /// The first value of an operand in memory.
  template <class T>
  TERRACE_HOST_DEVICE T* row(int operand) const {
    const Word& place = word(operand);
    return reinterpret_cast<T*>(place.address + (offset & place.moves));
  }
};

/// Vector p of an operand.
template <class T, Source source>
TERRACE_HOST_DEVICE Pack<T> pack_of(const Input& input, int operand, int p) {
  if constexpr (source == Source::held) {
    return bits_as<typename Pack<T>::Vector>(input.held[p]);
  } else if constexpr (source == Source::row) {
    return Pack<T>::load(input.row<const T>(operand) + p * Pack<T>::lanes);
  } else {
    return Pack<T>(number_in(input.word(operand), T{}));
  }
}
/// The same, where `held` is in registers.
template <class T, Source source>
TERRACE_HOST_DEVICE Pack<T> pack_beside(const Input& input, Pack<T> held, int operand, int p) {
  if constexpr (source == Source::held) return held;
  else return pack_of<T, source>(input, operand, p);
}
/// Half vector h of an operand of f32 in a wide program.
template <class T, Source source>
TERRACE_HOST_DEVICE HalfOf<T> half_pack_of(const Input& input, int operand, int h) {
  if constexpr (source == Source::row) {
    HalfOf<T> half;
    __builtin_memcpy(&half, input.row<const T>(operand) + h * Pack<T>::lanes / 2, sizeof half);
    return half;
  } else {
    return half_of<T>(bits_as<V>(pack_of<T, source>(input, operand, h / 2).v), h % 2);
  }
}

/// True for operands that a function may have: not numbers alone, and of operands that may change places those in one
/// order.
template <bool changes_places, Source a, Source b = Source::number, Source c = Source::number>
inline constexpr bool is_made = !(a == Source::number && b == Source::number && c == Source::number) &&
                                (!changes_places || static_cast<int>(a) <= static_cast<int>(b));

}  // namespace terrace::formula::strips::TERRACE_ISA
