#include "stages/makespan/epsilon.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace terrace::stages {
namespace {

__extension__ using Wide = __int128;

constexpr int most_decimals = 20;  // so that products with times stay below 2^127

/// A number as numerator / 10^decimals.
struct Decimal {
  std::int64_t numerator = 0;
  int decimals = 0;
};

/// The shortest decimal number that is read as `number`. @param number in (0, 1]
Decimal decimal_of(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific).ptr;
  Decimal decimal;
  const char* at = text.data();
  bool is_fraction = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      is_fraction = true;
      continue;
    }
    decimal.numerator = 10 * decimal.numerator + (*at - '0');
    decimal.decimals += is_fraction ? 1 : 0;
  }
  decimal.decimals -= std::atoi(at + 1);
  for (; decimal.decimals > most_decimals; --decimal.decimals) decimal.numerator /= 10;
  return decimal;
}

}  // namespace

std::int64_t divisor_of_epsilon(double epsilon) {
  // 1 / 0.05 in doubles may be a little above 20.
  return static_cast<std::int64_t>(std::ceil(1 / std::max(epsilon, least_epsilon) - 1e-9));
}

std::int64_t sufficient_bound(std::int64_t makespan, double epsilon) {
  const Decimal decimal = decimal_of(epsilon);
  Wide scale = 1;
  for (int n = 0; n < decimal.decimals; ++n) scale *= 10;
  const Wide divisor = scale + decimal.numerator;
  return static_cast<std::int64_t>((static_cast<Wide>(makespan) * scale + divisor - 1) / divisor);
}

}  // namespace terrace::stages
