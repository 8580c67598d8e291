// Borders and tables are stored in types of their own: conversions to and from the type that cells are computed in.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
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

/// A value as a table stores it; a floating table gets integers divided by `scale`.
template <class Stored, class V>
Stored stored_value(V value, double scale) {
  if constexpr (std::is_floating_point_v<V>) return static_cast<Stored>(value);
  else if constexpr (std::is_floating_point_v<Stored>) return static_cast<Stored>(static_cast<double>(value) / scale);
  else return static_cast<Stored>(value);
}

/// Writes 64 bytes at an aligned address past the caches.
inline void stream_line(const void* from, void* to) {
  for (int part = 0; part < 4; ++part) {
    const __m128i value = _mm_load_si128(static_cast<const __m128i*>(from) + part);
    _mm_stream_si128(static_cast<__m128i*>(to) + part, value);
  }
}

/// Writes `count` values to a row of a table: whole cache lines past the caches.
template <class Stored, class V>
void store_values(const V* values, std::int64_t count, double scale, Stored* to) {
  constexpr std::int64_t line = 64 / sizeof(Stored);
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(Stored));
  std::int64_t i = 0;
  for (const std::int64_t head = misaligned == 0 ? 0 : std::min(count, line - misaligned); i < head; ++i) {
    to[i] = stored_value<Stored>(values[i], scale);
  }
  for (; i + line <= count; i += line) {
    alignas(64) Stored converted[line];
    for (std::int64_t j = 0; j < line; ++j) converted[j] = stored_value<Stored>(values[i + j], scale);
    stream_line(converted, to + i);
  }
  for (; i < count; ++i) to[i] = stored_value<Stored>(values[i], scale);
}

/// True if a type is a signed integer, or a floating type if `value` is one, at least as wide as `value`.
inline bool holds_values(ElementType type, ElementType value) {
  return is_floating(type) == is_floating(value) && is_signed(type) && size_of(type) >= size_of(value);
}

}  // namespace terrace::wavefront
