// The operations of formulas over strips. Included only by sse2.cpp, avx2.cpp and avx512.cpp, each of which is
// compiled for its instruction set and defines TERRACE_ISA.
//
// An instruction is a function that gets eight vectors in registers, computes all cells of a strip from them and from
// memory, and calls the function of the next instruction with the eight vectors of its result. That call is the last
// thing it does, so compilers make it a jump: values go from one operation to the next in registers.
#pragma once

#include "kernels/formula/cpu/operations.hpp"

namespace terrace::formula::strips::TERRACE_ISA {

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
