// Runs of elements that take a pass, on the CPU. Included once for each instruction set, with TERRACE_ISA as its
// name.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/dp_table/bounded/cpu/run.hpp"
#include "kernels/dp_table/bounded/visit.hpp"
#include "kernels/values/cpu_pack.hpp"

namespace terrace::dp_table::TERRACE_ISA {
namespace {

using namespace values::TERRACE_ISA;

/// A bit for each lane of a comparison, of four or eight bytes a lane.
template <class Lanes>
u64 bits_of(Lanes lanes) {
#if defined(__AVX512DQ__)
  if constexpr (sizeof(lanes[0]) == 8) return _cvtmask8_u32(_mm512_movepi64_mask(reinterpret_cast<__m512i>(lanes)));
  else return _cvtmask16_u32(_mm512_movepi32_mask(reinterpret_cast<__m512i>(lanes)));
#elif defined(__AVX2__)
  if constexpr (sizeof(lanes[0]) == 8) return static_cast<u64>(_mm256_movemask_pd(reinterpret_cast<__m256d>(lanes)));
  else return static_cast<u64>(_mm256_movemask_ps(reinterpret_cast<__m256>(lanes)));
#else
  if constexpr (sizeof(lanes[0]) == 8) return static_cast<u64>(_mm_movemask_pd(reinterpret_cast<__m128d>(lanes)));
  else return static_cast<u64>(_mm_movemask_ps(reinterpret_cast<__m128>(lanes)));
#endif
}

/// The better of the cells and of the sources with the cost.
template <class T, bool least>
class BestRun {
  using Rule = Best<T, least>;
  using Cells = Pack<T>;
  static constexpr i64 lanes = Cells::lanes;

 public:
  explicit BestRun(const BoundedRun& run)
      : cells_(static_cast<T*>(run.elements)),
        source_(static_cast<const T*>(run.source)),
        cost_(cost_of<T>(run.pass->whole_cost, run.pass->real_cost)),
        taken_(run.taken),
        bit_(run.taken_bit) {}

  void make(i64 count) {
    if (taken_ == nullptr) make_plain(count);
    else make_taken(count);
  }

 private:
  void make_plain(i64 count) {
    i64 x = count;
    for (; x >= 4 * lanes; x -= 4 * lanes) {
      // All sources are read before a cell is written that a later pack would read.
      take_pack(x - lanes);
      take_pack(x - 2 * lanes);
      take_pack(x - 3 * lanes);
      take_pack(x - 4 * lanes);
    }
    for (; x >= lanes; x -= lanes) take_pack(x - lanes);
    while (x > 0) take_cell(--x);
  }

  /// Word by word of what was taken.
  void make_taken(i64 count) {
    i64 x = count;
    while (x > 0) {
      const i64 end = bit_ + x, word = (end - 1) / 64, begin = std::max(bit_, word * 64);
      u64 bits = 0;
      if (end - begin == 64) {
        for (i64 lane = 64 - lanes; lane >= 0; lane -= lanes) bits |= take_pack(begin - bit_ + lane) << lane;
      } else {
        for (i64 at = end - 1; at >= begin; --at) bits |= take_cell(at - bit_) << (at - word * 64);
      }
      taken_[word] |= bits;
      x = begin - bit_;
    }
  }

  /// @return a bit for each cell that is better for it
  u64 take_pack(i64 x) {
    const Cells old = Cells::load(cells_ + x), source = Cells::load(source_ + x);
    Cells made = source.v + Cells(cost_).v;
    if constexpr (!is_real<T>) made = select_equal(source, Cells(Rule::unreached()), source, made);
    const auto better = least ? made.v < old.v : made.v > old.v;
    const Cells best = better ? made.v : old.v;
    best.store(cells_ + x);
    return taken_ == nullptr ? 0 : bits_of(better);
  }
  u64 take_cell(i64 x) {
    const T made = Rule::plus(source_[x], cost_);
    if (!Rule::better(made, cells_[x])) return 0;
    cells_[x] = made;
    return 1;
  }

  T* cells_;
  const T* source_;
  T cost_;
  u64* taken_;
  i64 bit_;
};

template <class T, bool least>
i64 make_run(Best<T, least>, const BoundedRun& run) {
  BestRun<T, least>(run).make(run.count);
  return -1;
}

/// Words of 64 cells that are reached from the sources' cells.
inline i64 make_run(Reached, const BoundedRun& run) {
  using Words = Pack<i64>;
  constexpr i64 lanes = Words::lanes;
  auto* words = static_cast<i64*>(run.elements);
  const auto* source = static_cast<const i64*>(run.source);
  const auto shift = run.pass->bits;
  const auto keep = [&](i64 x, i64 old, i64 made) {
    if (run.taken != nullptr) run.taken[run.taken_bit + x] |= static_cast<u64>(made & ~old);
  };
  using Unsigned = u64 __attribute__((vector_size(sizeof(Words))));
  i64 x = run.count;
  const i64 first = run.starts ? 1 : 0;
  for (; x - lanes >= first; x -= lanes) {
    const i64 at = x - lanes;
    const Words old = Words::load(words + at);
    Unsigned from = reinterpret_cast<Unsigned>(Words::load(source + at).v);
    if (shift > 0) {
      const Unsigned before = reinterpret_cast<Unsigned>(Words::load(source + at - 1).v);
      from = from << shift | before >> (64 - shift);
    }
    const Words made = old.v | reinterpret_cast<Words::Vector>(from);
    made.store(words + at);
    if (run.taken != nullptr) {
      auto* taken = reinterpret_cast<i64*>(run.taken + run.taken_bit + at);
      Words(Words::load(taken).v | (made.v & ~old.v)).store(taken);
    }
  }
  while (x-- > 0) {
    const u64 before = shift == 0 || (x == 0 && run.starts) ? 0 : static_cast<u64>(source[x - 1]) >> (64 - shift);
    const i64 old = words[x], made = old | static_cast<i64>(static_cast<u64>(source[x]) << shift | before);
    words[x] = made;
    keep(x, old, made);
  }
  return -1;
}

/// Counts and sources in pieces that are read before any of them is written.
template <class T>
class CountRun {
  static constexpr i64 most = 64;

 public:
  explicit CountRun(const BoundedRun& run)
      : counts_(static_cast<T*>(run.elements)),
        source_(static_cast<const T*>(run.source)),
        modulus_(static_cast<u64>(run.modulus)),
        adds_(run.pass->sign > 0) {}

  i64 make(i64 count) {
    for (i64 x = count; x > 0;) {
      const i64 length = std::min(x, most);
      x -= length;
      std::copy_n(source_ + x, length, from_);
      if (modulus_ != 0) take_modulo(x, length);
      else if (adds_) add(x, length);
      else subtract(x, length);
    }
    return overflow_;
  }

 private:
  void take_modulo(i64 x, i64 length) {
    for (i64 k = 0; k < length; ++k) {
      const auto value = static_cast<u64>(from_[k]);
      const u64 sum = static_cast<u64>(counts_[x + k]) + (adds_ ? value : modulus_ - value);
      counts_[x + k] = static_cast<T>(sum >= modulus_ ? sum - modulus_ : sum);
    }
  }
  /// Counts are not negative, so no difference leaves the type.
  void subtract(i64 x, i64 length) {
    for (i64 k = 0; k < length; ++k) counts_[x + k] -= from_[k];
  }
  /// Differences of counts are added, too.
  void add(i64 x, i64 length) {
    u64 signs = 0;
    for (i64 k = 0; k < length; ++k) {
      const auto a = static_cast<u64>(counts_[x + k]), b = static_cast<u64>(from_[k]), sum = a + b;
      counts_[x + k] = static_cast<T>(sum);
      signs |= (sum ^ a) & (sum ^ b);
    }
    if (signs >> 63 != 0) note_overflow(x, length);
  }
  void note_overflow(i64 x, i64 length) {
    for (i64 k = length; k-- > 0;) {
      const auto b = static_cast<u64>(from_[k]), sum = static_cast<u64>(counts_[x + k]), a = sum - b;
      if (((sum ^ a) & (sum ^ b)) >> 63 != 0) overflow_ = x + k;
    }
  }

  T* counts_;
  const T* source_;
  u64 modulus_;
  bool adds_;
  T from_[most] = {};
  i64 overflow_ = -1;
};

template <class T>
i64 make_run(Count<T>, const BoundedRun& run) {
  return CountRun<T>(run).make(run.count);
}

}  // namespace

BoundedFunction bounded_function(Combine combine, ElementType stored) {
  BoundedFunction found = nullptr;
  visit_bounded(combine, stored,
                [&](auto rule) { found = [](const BoundedRun& run) { return make_run(decltype(rule){}, run); }; });
  return found;
}

}  // namespace terrace::dp_table::TERRACE_ISA
