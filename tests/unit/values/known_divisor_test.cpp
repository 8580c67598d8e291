// Quotients by known reciprocals beside those of the division.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/values/known_divisor.hpp"

namespace terrace::values {
namespace {

using device::u32;

/// True if the quotient is within the bounds, and then has the bits of a / d.
struct Quotient {
  Quotient(float a, float d) : of(divided_by_known(a, d, reciprocal_of_known(d), misses)), expected(a / d) {}
  bool is_given() const { return misses <= known_divisor_range; }
  bool is_same() const { return bits_of(of) == bits_of(expected); }

  u32 misses = 0;
  float of, expected;
};

TEST_CASE("quotients next to the middle between two numbers are rounded as by a division") {
  std::mt19937_64 random(5);
  // Mantissas at random, just above 1, and just below 2.
  const auto mantissa = [&] {
    const auto kind = random() % 4;
    if (kind == 0) return 0x7FFFFF - random() % 2000;
    return kind == 1 ? random() % 2000 : random() & 0x7FFFFF;
  };
  int different = 0, missed = 0;
  for (int n = 0; n < 4000000; ++n) {
    const float d = std::ldexp(1 + static_cast<float>(mantissa()) * 0x1p-23F, static_cast<int>(random() % 80) - 40);
    const double middle =
        std::ldexp(1 + (2 * static_cast<double>(mantissa()) + 1) * 0x1p-24, static_cast<int>(random() % 118) - 59);
    const auto nearest = bits_of(static_cast<float>(middle * d));
    const float a = float_of(nearest + static_cast<u32>(random() % 5) - 2);
    const Quotient quotient(random() % 2 == 0 ? a : -a, random() % 2 == 0 ? d : -d);
    if (!quotient.is_given()) ++missed;
    else if (!quotient.is_same()) ++different;
  }
  CHECK(different == 0);
  CHECK(missed == 0);
}

TEST_CASE("quotients of any bits are rounded as by a division, or not given") {
  std::mt19937 random(6);
  int different = 0, given = 0;
  for (int n = 0; n < 4000000; ++n) {
    const auto drawn = [&] { return float_of(static_cast<u32>(random())); };
    const float a = drawn(), d = drawn();
    const Quotient quotient(a, d);
    if (quotient.is_given()) ++given;
    if (quotient.is_given() && !quotient.is_same()) ++different;
  }
  CHECK(different == 0);
  CHECK(given > 1000);
}

TEST_CASE("zeros, infinities, NaN and what is beyond the bounds are not given") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float a : {0.0F, -0.0F, infinity, -infinity, std::nanf(""), 0x1p-61F, 0x1p61F, 0x1p-140F}) {
    CHECK(!Quotient(a, 1).is_given());
  }
  for (const float d : {0.0F, infinity, std::nanf(""), 0x1p-41F, -0x1p41F}) CHECK(!Quotient(1, d).is_given());
  CHECK(Quotient(3, 0x1p-40F).is_given());
  CHECK(Quotient(-3, -0x1p40F).is_given());
}

}  // namespace
}  // namespace terrace::values
