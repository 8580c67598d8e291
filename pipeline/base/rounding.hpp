// Quotients and multiples, rounded up, of numbers that are not negative.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace terrace {

/// a / b, rounded up.
template <std::integral Count>
constexpr Count ceiling(Count a, std::type_identity_t<Count> b) {
  return (a + b - 1) / b;
}

/// The least multiple of `unit` that is not less than `count`.
template <std::integral Count>
constexpr Count rounded_up(Count count, std::type_identity_t<Count> unit) {
  return ceiling(count, unit) * unit;
}

/// A page of memory or of a file.
inline constexpr std::int64_t page_bytes = 4096;
/// A page of memory that the system may use for large pieces.
inline constexpr std::int64_t huge_page_bytes = 2 << 20;

/// That many bytes, rounded up to whole pages.
template <std::integral Count>
constexpr Count whole_pages(Count bytes) {
  return rounded_up(bytes, static_cast<Count>(page_bytes));
}

}  // namespace terrace
