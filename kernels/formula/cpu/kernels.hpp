// The operations of formulas over strips. Included only by sse2.cpp, avx2.cpp and avx512.cpp, each of which is
// compiled for its instruction set and defines TERRACE_ISA.
//
// An instruction is a function that gets eight vectors in registers, computes all cells of a strip from them and from
// memory, and calls the function of the next instruction with the eight vectors of its result. That call is the last
// thing it does, so compilers make it a jump: values go from one operation to the next in registers.
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

/// What an instruction reads.
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

// Operations on packs.

struct Negate {
  static constexpr int operands = 1;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a) {
    return P(-a.v);
  }
};
struct Absolute {
  static constexpr int operands = 1;
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a) { return absolute(a); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a) { return absolute(a); }
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a) { return Pack<i64>(a.v < 0 ? -a.v : a.v); }
};
struct Root {
  static constexpr int operands = 1;
#if defined(__AVX512F__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a) { return _mm512_maskz_sqrt_ps(0xFFFF, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a) { return _mm512_maskz_sqrt_pd(0xFF, a.v); }
#elif defined(__AVX2__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a) { return _mm256_sqrt_ps(a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a) { return _mm256_sqrt_pd(a.v); }
#else
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a) { return _mm_sqrt_ps(a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a) { return _mm_sqrt_pd(a.v); }
#endif
};
struct Inverse {
  static constexpr int operands = 1;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a) {
    return P(~a.v);
  }
};

struct Add {
  static constexpr int operands = 2;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v + b.v);
  }
};
struct Subtract {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v - b.v);
  }
};
struct Multiply {
  static constexpr int operands = 2;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v * b.v);
  }
};

/// Quotients of whole numbers within 52 bits are those of f64 without their fractions: a fraction is at least 1 /
/// divisor below the next whole number, more than half of the last bit.
TERRACE_HOST_DEVICE Pack<i64> quotient(Pack<i64> a, Pack<i64> b) {
#if defined(__AVX512DQ__)
  const __m512i x = reinterpret_cast<__m512i>(a.v), y = reinterpret_cast<__m512i>(b.v);
  const __m512i most = _mm512_set1_epi64((i64(1) << 52) - 1);
  const auto beyond = _mm512_cmp_epu64_mask(_mm512_maskz_abs_epi64(0xFF, x), most, _MM_CMPINT_NLE) |
                      _mm512_cmp_epu64_mask(_mm512_maskz_abs_epi64(0xFF, y), most, _MM_CMPINT_NLE);
  if (beyond == 0) {
    const __m512d divided = _mm512_div_pd(_mm512_cvtepi64_pd(x), _mm512_cvtepi64_pd(y));
    return reinterpret_cast<Pack<i64>::Vector>(_mm512_cvttpd_epi64(divided));
  }
#endif
  for (int lane = 0; lane < Pack<i64>::lanes; ++lane) a.v[lane] /= b.v[lane];
  return a;
}

struct Divide {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v / b.v);
  }
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a, Pack<i64> b) { return quotient(a, b); }
};
struct Remainder {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a, Pack<i64> b) {
    return Pack<i64>(a.v - quotient(a, b).v * b.v);
  }
};

/// b < a ? b : a, which the instructions of the CPU give for b and a in this order.
struct Minimum {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
#if defined(__AVX512F__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) {
    return _mm512_maskz_min_ps(0xFFFF, b.v, a.v);
  }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) {
    return _mm512_maskz_min_pd(0xFF, b.v, a.v);
  }
#elif defined(__AVX2__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) { return _mm256_min_ps(b.v, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) { return _mm256_min_pd(b.v, a.v); }
#else
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) { return _mm_min_ps(b.v, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) { return _mm_min_pd(b.v, a.v); }
#endif
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a, Pack<i64> b) { return Pack<i64>(b.v < a.v ? b.v : a.v); }
};
/// a < b ? b : a, alike.
struct Maximum {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
#if defined(__AVX512F__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) {
    return _mm512_maskz_max_ps(0xFFFF, b.v, a.v);
  }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) {
    return _mm512_maskz_max_pd(0xFF, b.v, a.v);
  }
#elif defined(__AVX2__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) { return _mm256_max_ps(b.v, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) { return _mm256_max_pd(b.v, a.v); }
#else
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) { return _mm_max_ps(b.v, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) { return _mm_max_pd(b.v, a.v); }
#endif
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a, Pack<i64> b) { return Pack<i64>(a.v < b.v ? b.v : a.v); }
};

struct Both {
  static constexpr int operands = 2;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v & b.v);
  }
};
struct Either {
  static constexpr int operands = 2;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v | b.v);
  }
};
struct Equal {
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static auto of(P a, P b) {
    return a.v == b.v;
  }
};
struct NotEqual {
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static auto of(P a, P b) {
    return a.v != b.v;
  }
};
struct Less {
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static auto of(P a, P b) {
    return a.v < b.v;
  }
};
struct LessEqual {
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static auto of(P a, P b) {
    return a.v <= b.v;
  }
};

struct Fused {
  static constexpr int operands = 3;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b, P c) {
    return fused(a, b, c);
  }
};
struct AddProduct {
  static constexpr int operands = 3;
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b, P c) {
    return P(a.v + b.v * c.v);
  }
};
struct SubtractProduct {
  static constexpr int operands = 3;
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b, P c) {
    return P(a.v - b.v * c.v);
  }
};

// Instructions: make(input, made) sets the vectors of the result, or of those that the next instruction does not read
// leaves what is there.

template <class F, class T, bool wide, Source a, Source b = Source::number, Source c = Source::number>
struct Elementwise {
  TERRACE_HOST_DEVICE static void make(const Input& in, V* made) {
    for_each<packs<T, wide>>([&]<int p>() __attribute__((always_inline)) {
      Pack<T> result;
      if constexpr (F::operands == 1) result = F::of(pack_of<T, a>(in, 0, p));
      else if constexpr (F::operands == 2) result = F::of(pack_of<T, a>(in, 0, p), pack_of<T, b>(in, 1, p));
      else result = F::of(pack_of<T, a>(in, 0, p), pack_of<T, b>(in, 1, p), pack_of<T, c>(in, 2, p));
      made[p] = bits_as<V>(result.v);
    });
  }
};

/// An operation of a pair. @param first its first operand in the instruction
template <class F, class T, Source a, Source b, Source c = Source::number>
struct Step {
  TERRACE_HOST_DEVICE static Pack<T> of(const Input& in, Pack<T> held, int first, int p) {
    const Pack<T> x = pack_beside<T, a>(in, held, first, p), y = pack_beside<T, b>(in, held, first + 1, p);
    if constexpr (F::operands == 2) return F::of(x, y);
    else return F::of(x, y, pack_beside<T, c>(in, held, first + 2, p));
  }
};

/// Two operations one after the other.
template <class First, class Second, class T, bool wide>
struct Pair {
  TERRACE_HOST_DEVICE static void make(const Input& in, V* made) {
    for_each<packs<T, wide>>([&]<int p>() __attribute__((always_inline)) {
      const Pack<T> held = pack_of<T, Source::held>(in, 0, p);
      made[p] = bits_as<V>(Second::of(in, First::of(in, held, 0, p), 3, p).v);
    });
  }
};

template <class F, class T, bool wide, Source a, Source b>
struct Compare {
  TERRACE_HOST_DEVICE static void make(const Input& in, V* made) {
    for_each<packs<T, wide>>([&]<int p>() __attribute__((always_inline)) {
      const V mask = bits_as<V>(F::of(pack_of<T, a>(in, 0, p), pack_of<T, b>(in, 1, p)));
      if constexpr (packs<T, wide> == held_vectors) {
        made[p] = mask;
      } else {
        made[2 * p] = bits_as<V>(doubled<i64>(half_of<i32>(mask, 0)));
        made[2 * p + 1] = bits_as<V>(doubled<i64>(half_of<i32>(mask, 1)));
      }
    });
  }
};

template <class T, bool wide, Source m, Source a, Source b>
struct Choose {
  TERRACE_HOST_DEVICE static void make(const Input& in, V* made) {
    using Mask = MaskValue<wide>;
    for_each<packs<T, wide>>([&]<int p>() __attribute__((always_inline)) {
      const auto yes = pack_of<T, a>(in, 1, p).v, no = pack_of<T, b>(in, 2, p).v;
      using Chooser = decltype(yes == no);
      Chooser mask;
      if constexpr (packs<T, wide> == held_vectors) {
        mask = bits_as<Chooser>(pack_of<Mask, m>(in, 0, p).v);
      } else {
        mask = bits_as<Chooser>(
            joined(halved<i32>(pack_of<Mask, m>(in, 0, 2 * p).v), halved<i32>(pack_of<Mask, m>(in, 0, 2 * p + 1).v)));
      }
      made[p] = bits_as<V>(mask != 0 ? yes : no);
    });
  }
};

template <class To, class From, bool wide, Source a>
struct Convert {
  TERRACE_HOST_DEVICE static void make(const Input& in, V* made) {
    for_each<packs<To, wide>>([&]<int p>() __attribute__((always_inline)) {
      if constexpr (sizeof(To) == sizeof(From)) {
        made[p] = bits_as<V>(__builtin_convertvector(pack_of<From, a>(in, 0, p).v, typename Pack<To>::Vector));
      } else if constexpr (sizeof(To) > sizeof(From)) {
        made[p] = bits_as<V>(doubled<To>(half_pack_of<From, a>(in, 0, p)));
      } else {
        made[p] =
            joined(halved<To>(pack_of<From, a>(in, 0, 2 * p).v), halved<To>(pack_of<From, a>(in, 0, 2 * p + 1).v));
      }
    });
  }
};

/// A condition as 0 or 1.
template <class To, bool wide, Source a>
struct Count {
  TERRACE_HOST_DEVICE static void make(const Input& in, V* made) {
    using Mask = MaskValue<wide>;
    for_each<packs<To, wide>>([&]<int p>() __attribute__((always_inline)) {
      if constexpr (sizeof(To) == sizeof(Mask)) {
        const auto one = Pack<Mask>(pack_of<Mask, a>(in, 0, p).v & 1).v;
        made[p] = bits_as<V>(__builtin_convertvector(one, typename Pack<To>::Vector));
      } else {
        made[p] = joined(halved<To>(pack_of<Mask, a>(in, 0, 2 * p).v & 1),
                         halved<To>(pack_of<Mask, a>(in, 0, 2 * p + 1).v & 1));
      }
    });
  }
};

template <class T, bool wide, Source a>
struct Take {
  TERRACE_HOST_DEVICE static void make(const Input& in, V* made) {
    for_each<packs<T, wide>>([&]<int p>()
                                 __attribute__((always_inline)) { made[p] = bits_as<V>(pack_of<T, a>(in, 0, p).v); });
  }
};

template <class T, bool wide>
struct Keep {
  TERRACE_HOST_DEVICE static void make(const Input& in, V*) {
    T* row = in.row<T>(0);
    for_each<packs<T, wide>>([&]<int p>() __attribute__((always_inline)) {
      pack_of<T, Source::held>(in, 0, p).store(row + p * Pack<T>::lanes);
    });
  }
};

/// @tparam T of the values of rows
template <class T>
struct Index {
  TERRACE_HOST_DEVICE static void make(const Input& in, V* made) {
    static constexpr values::TERRACE_ISA::LaneNumbers<i64> numbers;
    const Pack<i64> lane = Pack<i64>::load(numbers.own), last(in.word(1).whole), offset(in.word(2).whole);
    const i64 first = in.word(0).whole + in.offset / static_cast<i64>(sizeof(T));
    for_each<held_vectors>([&]<int p>() __attribute__((always_inline)) {
      const Pack<i64> index(lane.v + Pack<i64>(first + p * Pack<i64>::lanes).v);
      made[p] = bits_as<V>((last.v < index.v ? last.v : index.v) + offset.v);
    });
  }
};

/// An instruction as a function.
template <class Operation>
void handle(const Instruction* at, const Word* words, i64 offset, V v0, V v1, V v2, V v3, V v4, V v5, V v6, V v7) {
  const V held[held_vectors] = {v0, v1, v2, v3, v4, v5, v6, v7};
  V made[held_vectors] = {v0, v1, v2, v3, v4, v5, v6, v7};
  Operation::make(Input{at, words, offset, held}, made);
  return reinterpret_cast<Handler>(at[1].run)(at + 1, words, offset, made[0], made[1], made[2], made[3], made[4],
                                              made[5], made[6], made[7]);
}

/// Code::keep_last.
template <class T, bool wide>
void keep_last(const Instruction* at, const Word* words, i64 offset, V v0, V v1, V v2, V v3, V v4, V v5, V v6, V v7) {
  V held[held_vectors] = {v0, v1, v2, v3, v4, v5, v6, v7};
  Keep<T, wide>::make(Input{at, words, offset, held}, held);
}

inline void stop(const Instruction*, const Word*, i64, V, V, V, V, V, V, V, V) {}

template <class Operation>
Run function_of() {
  return reinterpret_cast<Run>(&handle<Operation>);
}

/// Calls call.operator()<source>().
template <class Call>
TERRACE_HOST_DEVICE Run with_source(Source source, Call&& call) {
  switch (source) {
    case Source::held:
      return call.template operator()<Source::held>();
    case Source::row:
      return call.template operator()<Source::row>();
    default:
      return call.template operator()<Source::number>();
  }
}

template <class F, class T, bool wide>
Run find_elementwise(const Source (&sources)[3]) {
  return with_source(sources[0], [&]<Source a>() -> Run {
    if constexpr (F::operands == 1) {
      if constexpr (is_made<false, a>) return function_of<Elementwise<F, T, wide, a>>();
      return nullptr;
    } else {
      return with_source(sources[1], [&]<Source b>() -> Run {
        if constexpr (F::operands == 2) {
          if constexpr (is_made<F::changes_places, a, b>) return function_of<Elementwise<F, T, wide, a, b>>();
          return nullptr;
        } else {
          return with_source(sources[2], [&]<Source c>() -> Run {
            if constexpr (is_made<F::changes_places, a, b, c>) return function_of<Elementwise<F, T, wide, a, b, c>>();
            return nullptr;
          });
        }
      });
    }
  });
}

/// A product of operands in memory, added to what is in registers.
template <class F, class T, bool wide>
Run find_product(const Source (&sources)[3]) {
  if (sources[0] != Source::held || sources[1] != Source::row) return nullptr;
  return with_source(sources[2], [&]<Source c>() -> Run {
    if constexpr (c == Source::held) return nullptr;
    else return function_of<Elementwise<F, T, wide, Source::held, Source::row, c>>();
  });
}

template <class F, class T, bool wide>
Run find_compare(const Source (&sources)[3]) {
  return with_source(sources[0], [&]<Source a>() -> Run {
    return with_source(sources[1], [&]<Source b>() -> Run {
      if constexpr (is_made<F::changes_places, a, b>) return function_of<Compare<F, T, wide, a, b>>();
      return nullptr;
    });
  });
}

template <class T, bool wide>
Run find_choose(const Source (&sources)[3]) {
  return with_source(sources[0], [&]<Source m>() -> Run {
    return with_source(sources[1], [&]<Source a>() -> Run {
      return with_source(sources[2], [&]<Source b>() -> Run {
        if constexpr (is_made<false, m, a, b>) return function_of<Choose<T, wide, m, a, b>>();
        return nullptr;
      });
    });
  });
}

/// @tparam To of the result; From of the operand, void: a condition
template <class To, class From, bool wide>
Run find_convert(const Source (&sources)[3]) {
  return with_source(sources[0], [&]<Source a>() -> Run {
    if constexpr (a == Source::number) return nullptr;
    else if constexpr (__is_same(From, void)) return function_of<Count<To, wide, a>>();
    else return function_of<Convert<To, From, wide, a>>();
  });
}

template <class T, bool wide>
Run find_moving(Code code, const Source (&sources)[3]) {
  if (code == Code::keep) return function_of<Keep<T, wide>>();
  if (code == Code::keep_last) return reinterpret_cast<Run>(&keep_last<T, wide>);
  return sources[0] == Source::row ? function_of<Take<T, wide, Source::row>>()
                                   : function_of<Take<T, wide, Source::number>>();
}

template <class T, bool wide>
Run find_real(Code code, const Source (&sources)[3]) {
  switch (code) {
    case Code::negate:
      return find_elementwise<Negate, T, wide>(sources);
    case Code::absolute:
      return find_elementwise<Absolute, T, wide>(sources);
    case Code::root:
      return find_elementwise<Root, T, wide>(sources);
    case Code::add:
      return find_elementwise<Add, T, wide>(sources);
    case Code::subtract:
      return find_elementwise<Subtract, T, wide>(sources);
    case Code::multiply:
      return find_elementwise<Multiply, T, wide>(sources);
    case Code::divide:
      return find_elementwise<Divide, T, wide>(sources);
    case Code::equal:
      return find_compare<Equal, T, wide>(sources);
    case Code::not_equal:
      return find_compare<NotEqual, T, wide>(sources);
    case Code::less:
      return find_compare<Less, T, wide>(sources);
    case Code::less_equal:
      return find_compare<LessEqual, T, wide>(sources);
    case Code::minimum:
      return find_elementwise<Minimum, T, wide>(sources);
    case Code::maximum:
      return find_elementwise<Maximum, T, wide>(sources);
    case Code::fused:
      return find_elementwise<Fused, T, wide>(sources);
    case Code::add_product:
      return find_product<AddProduct, T, wide>(sources);
    case Code::subtract_product:
      return find_product<SubtractProduct, T, wide>(sources);
    case Code::choose:
      return find_choose<T, wide>(sources);
    default:
      return find_moving<T, wide>(code, sources);
  }
}

inline Run find_whole(Code code, const Source (&sources)[3]) {
  switch (code) {
    case Code::negate:
      return find_elementwise<Negate, i64, true>(sources);
    case Code::absolute:
      return find_elementwise<Absolute, i64, true>(sources);
    case Code::add:
      return find_elementwise<Add, i64, true>(sources);
    case Code::subtract:
      return find_elementwise<Subtract, i64, true>(sources);
    case Code::multiply:
      return find_elementwise<Multiply, i64, true>(sources);
    case Code::divide:
      return find_elementwise<Divide, i64, true>(sources);
    case Code::remainder:
      return find_elementwise<Remainder, i64, true>(sources);
    case Code::equal:
      return find_compare<Equal, i64, true>(sources);
    case Code::not_equal:
      return find_compare<NotEqual, i64, true>(sources);
    case Code::less:
      return find_compare<Less, i64, true>(sources);
    case Code::less_equal:
      return find_compare<LessEqual, i64, true>(sources);
    case Code::minimum:
      return find_elementwise<Minimum, i64, true>(sources);
    case Code::maximum:
      return find_elementwise<Maximum, i64, true>(sources);
    case Code::choose:
      return find_choose<i64, true>(sources);
    default:
      return find_moving<i64, true>(code, sources);
  }
}

template <bool wide>
Run find_condition(Code code, const Source (&sources)[3]) {
  using Mask = MaskValue<wide>;
  switch (code) {
    case Code::inverse:
      return find_elementwise<Inverse, Mask, wide>(sources);
    case Code::both:
      return find_elementwise<Both, Mask, wide>(sources);
    case Code::either:
      return find_elementwise<Either, Mask, wide>(sources);
    case Code::equal:
      return find_compare<Equal, Mask, wide>(sources);
    case Code::not_equal:
      return find_compare<NotEqual, Mask, wide>(sources);
    case Code::choose:
      return find_choose<Mask, wide>(sources);
    case Code::to_f32:
      return find_convert<float, void, wide>(sources);
    case Code::to_f64:
      if constexpr (wide) return find_convert<double, void, wide>(sources);
      return nullptr;
    case Code::to_whole:
      if constexpr (wide) return find_convert<i64, void, wide>(sources);
      return nullptr;
    default:
      return find_moving<Mask, wide>(code, sources);
  }
}

template <class From>
Run find_wide_convert(Code code, const Source (&sources)[3]) {
  if (code == Code::to_f32) return find_convert<float, From, true>(sources);
  return find_convert<double, From, true>(sources);
}

inline Run find(bool wide, Code code, Lanes lanes, const Source (&sources)[3]) {
  if (code == Code::stop) return reinterpret_cast<Run>(&stop);
  if (code == Code::index) return lanes == Lanes::f32 ? function_of<Index<float>>() : function_of<Index<double>>();
  if (lanes == Lanes::condition)
    return wide ? find_condition<true>(code, sources) : find_condition<false>(code, sources);
  if (code >= Code::to_f32) {
    if (lanes == Lanes::f32) return find_wide_convert<float>(code, sources);
    return lanes == Lanes::f64 ? find_wide_convert<double>(code, sources) : find_wide_convert<i64>(code, sources);
  }
  if (lanes == Lanes::f64) return find_real<double, true>(code, sources);
  if (lanes == Lanes::whole) return find_whole(code, sources);
  return wide ? find_real<float, true>(code, sources) : find_real<float, false>(code, sources);
}

/// Calls call.operator()<Step>() if there are pairs with the operation. @tparam second true: one that takes its
/// operand from registers
template <class T, bool second, class Call>
Run with_step(Code code, const Source (&sources)[3], Call&& call) {
  constexpr auto held = Source::held, row = Source::row, number = Source::number;
  const auto is = [&](Code wanted, Source a, Source b, Source c) {
    return code == wanted && sources[0] == a && sources[1] == b && sources[2] == c;
  };
  if (is(Code::add, held, row, number)) return call.template operator()<Step<Add, T, held, row>>();
  if (is(Code::subtract, held, row, number)) return call.template operator()<Step<Subtract, T, held, row>>();
  if (is(Code::subtract, row, held, number)) return call.template operator()<Step<Subtract, T, row, held>>();
  if (is(Code::multiply, held, number, number)) return call.template operator()<Step<Multiply, T, held, number>>();
  if (is(Code::multiply, held, row, number)) return call.template operator()<Step<Multiply, T, held, row>>();
#if defined(__FMA__)
  if (is(Code::fused, row, number, held)) return call.template operator()<Step<Fused, T, row, number, held>>();
  if (is(Code::fused, held, number, row)) return call.template operator()<Step<Fused, T, held, number, row>>();
  if (is(Code::fused, row, row, held)) return call.template operator()<Step<Fused, T, row, row, held>>();
#endif
  if (is(Code::add_product, held, row, number)) {
    return call.template operator()<Step<AddProduct, T, held, row, number>>();
  }
  if constexpr (!second) {
    if (is(Code::add, row, row, number)) return call.template operator()<Step<Add, T, row, row>>();
    if (is(Code::subtract, row, row, number)) return call.template operator()<Step<Subtract, T, row, row>>();
    if (is(Code::multiply, row, number, number)) return call.template operator()<Step<Multiply, T, row, number>>();
    if (is(Code::multiply, row, row, number)) return call.template operator()<Step<Multiply, T, row, row>>();
  }
  return nullptr;
}

template <class T, bool wide>
Run find_pair_of(Code first, const Source (&sources)[3], Code second, const Source (&second_sources)[3]) {
  return with_step<T, false>(first, sources, [&]<class First>() {
    return with_step<T, true>(second, second_sources,
                              []<class Second>() { return function_of<Pair<First, Second, T, wide>>(); });
  });
}

inline Run find_pair(bool wide, Lanes lanes, Code first, const Source (&sources)[3], Code second,
                     const Source (&second_sources)[3]) {
  if (lanes == Lanes::f64) return find_pair_of<double, true>(first, sources, second, second_sources);
  // Wide programs compute little in f32: their pairs would only take time to compile.
  if (lanes != Lanes::f32 || wide) return nullptr;
  return find_pair_of<float, false>(first, sources, second, second_sources);
}

inline void run(const Program& program, const Word* words, i64 begin, i64 end) {
  const i64 cells = program.cells, lanes = vector_bytes / program.value_bytes;
  const V none{};
  for (i64 x = begin;;) {
    for (i32 segment = 0; segment < program.segments; ++segment) {
      const Instruction* at = program.instructions + program.starts[segment];
      reinterpret_cast<Handler>(at->run)(at, words, x * program.value_bytes, none, none, none, none, none, none, none,
                                         none);
    }
    if (x + cells >= end) return;
    // Strips begin where vectors of rows do, but the first and the last one.
    x = (x + cells) & -lanes;
    if (x + cells > end) x = end - cells;
  }
}

Kernels kernels() { return {vector_bytes, find, find_pair, run}; }

}  // namespace terrace::formula::strips::TERRACE_ISA
