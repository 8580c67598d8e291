// The operations of instructions: make(input, made) sets the vectors of the result, or of those that the next
// instruction does not read leaves what is there. Included only by sources that define TERRACE_ISA (kernels.hpp).
#pragma once

#include "kernels/formula/cpu/functions.hpp"

namespace terrace::formula::strips::TERRACE_ISA {

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

}  // namespace terrace::formula::strips::TERRACE_ISA
