// The rules by which an element takes a pass, on CUDA.
#pragma once

#include "kernels/dp_table/bounded_task.hpp"
#include "kernels/dp_table/rules.hpp"

namespace terrace::dp_table {

/// Bits of an element's number in the key of a count that leaves its type; the pass's number is above them.
inline constexpr i32 overflow_bits = 50;

/// The elements that a pass leads from and to.
template <class V>
struct PassValues {
  V own, source;
  V before;    // of words of bits: the element before the source, or 0
  bool over;   // true if a count leaves its type
  bool taken;  // true if the element is better for the pass
};

/// @tparam Rule Best, Count, or Reached, whose elements are words of 64 cells
template <class Rule>
struct PassRule;

template <class T, bool least>
struct PassRule<Best<T, least>> {
  using Value = T;
  static constexpr bool is_words = false;

  __device__ static void take(PassValues<T>& values, const BoundedPass& pass, i64) {
    using Rule = Best<T, least>;
    const T made = Rule::plus(values.source, cost_of<T>(pass.whole_cost, pass.real_cost));
    values.taken = Rule::better(made, values.own);
    if (values.taken) values.own = made;
  }
};

template <class T>
struct PassRule<Count<T>> {
  using Value = T;
  static constexpr bool is_words = false;

  __device__ static void take(PassValues<T>& values, const BoundedPass& pass, i64 modulus) {
    const u64 own = static_cast<u64>(values.own), source = static_cast<u64>(values.source);
    if (modulus != 0) {
      const u64 wrap = static_cast<u64>(modulus), sum = own + (pass.sign > 0 ? source : wrap - source);
      values.own = static_cast<T>(sum >= wrap ? sum - wrap : sum);
    } else if (pass.sign > 0) {
      const u64 sum = own + source;
      values.over = ((sum ^ own) & (sum ^ source)) >> 63 != 0;
      values.own = static_cast<T>(sum);
    } else {
      values.own = static_cast<T>(own - source);
    }
  }
};

template <>
struct PassRule<Reached> {
  using Value = u64;
  static constexpr bool is_words = true;

  __device__ static void take(PassValues<u64>& values, const BoundedPass& pass, i64) {
    u64 from = values.source;
    if (pass.bits > 0) from = from << pass.bits | values.before >> (64 - pass.bits);
    values.own |= from;
  }
};

}  // namespace terrace::dp_table
