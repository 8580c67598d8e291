// Borders and tables are stored in types of their own: conversions to and from the type that cells are computed in.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "pipeline/base/element_type.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront {

/// Copies `count` values from element `offset` on of a border of type `type`.
template <class V>
void read_border(ElementType type, const void* border, std::int64_t offset, std::int64_t count, V* values) {
  dispatch(type, [&](auto sample) {
    const auto* from = static_cast<const decltype(sample)*>(border) + offset;
    for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<V>(from[i]);
  });
}

/// Copies `count` values to element `offset` and following of a border of type `type`.
template <class V>
void write_border(ElementType type, const V* values, std::int64_t count, void* border, std::int64_t offset) {
  dispatch(type, [&](auto sample) {
    using Stored = decltype(sample);
    auto* to = static_cast<Stored*>(border) + offset;
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Stored>(values[i]);
  });
}

/// Writes `count` values to a row of a table; a floating table gets them divided by `scale`.
template <class Stored, class V>
void store_values(const V* values, std::int64_t count, double scale, Stored* to) {
  if constexpr (std::is_same_v<Stored, V>) {
    std::memcpy(to, values, static_cast<std::size_t>(count) * sizeof(V));
  } else if constexpr (std::is_floating_point_v<Stored>) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Stored>(static_cast<double>(values[i]) / scale);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Stored>(values[i]);
  }
}

/// Whether a type is a signed integer at least as wide as `value`.
inline bool holds_values(ElementType type, ElementType value) {
  return !is_floating(type) && is_signed(type) && size_of(type) >= size_of(value);
}

}  // namespace terrace::wavefront
