// Values of grids as unsigned integers in the same order, their keys: the test that a value lies in a range is then
// the same for all types.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::wavefront {

using device::u32;
using device::u64;

/// The keys [low, high] of the values that count; none if low is above high.
struct KeyRange {
  u64 low = 1, high = 0;
};

template <int bytes>
struct KeyOfBytes {
  using Type = u32;
};
template <>
struct KeyOfBytes<1> {
  using Type = device::u8;
};
template <>
struct KeyOfBytes<2> {
  using Type = device::u16;
};
template <>
struct KeyOfBytes<8> {
  using Type = u64;
};
/// The unsigned integer as wide as G.
template <class G>
using Key = typename KeyOfBytes<sizeof(G)>::Type;

/// Conversion of bits to keys: exclusive or with `flip`, and with `negative` if the highest bit is set.
template <class K>
struct KeyRule {
  K flip, negative;
};

/// The rule of type G. Negative floating-point values have larger bits the smaller they are.
template <class G>
TERRACE_HOST_DEVICE constexpr KeyRule<Key<G>> key_rule() {
  constexpr Key<G> top = static_cast<Key<G>>(u64{1} << (8 * sizeof(G) - 1));
  if constexpr (G(0.5) != G(0)) return {top, static_cast<Key<G>>(top - 1)};
  else if constexpr (G(-1) < G(0)) return {top, 0};
  else return {0, 0};
}

template <class K>
TERRACE_HOST_DEVICE constexpr K key_of_bits(K bits, KeyRule<K> rule) {
  constexpr int top = 8 * static_cast<int>(sizeof(K)) - 1;
  return static_cast<K>(bits ^ rule.flip ^ (static_cast<K>(0 - (bits >> top)) & rule.negative));
}

/// The key of a value. Of floating point, -0 comes right before 0, and every NaN before or after all numbers.
template <class G>
TERRACE_HOST_DEVICE constexpr Key<G> key_of(G value) {
  return key_of_bits(__builtin_bit_cast(Key<G>, value), key_rule<G>());
}

}  // namespace terrace::wavefront
