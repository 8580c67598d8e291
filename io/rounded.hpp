// Whole numbers that f32 and f64 cannot represent: beyond 2^24 and 2^53 they have only some.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include "pipeline/base/box.hpp"
#include "pipeline/base/point_of.hpp"

namespace terrace::io {

/// True if numbers of type From may lose digits as numbers of type To.
template <class From, class To>
inline constexpr bool may_lose_digits = std::is_integral_v<From>&& std::is_floating_point_v<To> &&
                                        (std::numeric_limits<From>::digits > std::numeric_limits<To>::digits);

/// True if the type To cannot represent the number. @tparam From an integer type @tparam To a floating-point type
template <class To, class From>
bool loses_digits(From number) {
  constexpr int digits = std::numeric_limits<To>::digits;
  using Unsigned = std::make_unsigned_t<From>;
  const auto bits = static_cast<Unsigned>(number);
  const Unsigned magnitude = number < From(0) ? static_cast<Unsigned>(Unsigned(0) - bits) : bits;
  if constexpr (std::numeric_limits<Unsigned>::digits <= digits) return false;
  else return magnitude >> digits != 0 && std::bit_width(magnitude) - std::countr_zero(magnitude) > digits;
}

/// The first element that lost digits, among those that any thread has read as f32 or f64 so far.
class RoundedElement {
 public:
  struct Found {
    Extents index;
    std::string number;  // as the array has it
    double value;        // as it was read
    int digits;          // binary digits of the type as which it was read
  };

  /// Looks at elements that were read. @tparam To the type as which they were read
  /// @param values of the box, row-major
  /// @param counts true if a value is a number: call(value)
  template <class To, class From, class Counts>
  void look(const Box& box, const From* values, const Counts& counts) {
    const std::int64_t count = box.volume();
    for (std::int64_t n = 0; n < count; ++n) {
      if (loses_digits<To>(values[n]) && counts(values[n])) {
        return note({point_of(box, n), std::to_string(values[n]), static_cast<double>(static_cast<To>(values[n])),
                     std::numeric_limits<To>::digits});
      }
    }
  }
  template <class To, class From>
  void look(const Box& box, const From* values) {
    look<To>(box, values, [](From) { return true; });
  }

  std::optional<Found> found() const;

 private:
  void note(const Found& found);

  mutable std::mutex mutex_;
  std::optional<Found> found_;
};

}  // namespace terrace::io
