// The bound that proves a schedule, in whole numbers.
#include <catch2/catch.hpp>
#include <random>

#include "stages/makespan/epsilon.hpp"

namespace terrace::stages {

TEST_CASE("k is the reciprocal of epsilon, rounded up") {
  CHECK(divisor_of_epsilon(1) == 1);
  CHECK(divisor_of_epsilon(0.5) == 2);
  CHECK(divisor_of_epsilon(0.3) == 4);
  CHECK(divisor_of_epsilon(0.34) == 3);
  for (std::int64_t n = 1; n <= 1000; ++n) CHECK(divisor_of_epsilon(1 / static_cast<double>(n)) == n);
  CHECK(divisor_of_epsilon(1e-300) == 1'000'000'000);
}

TEST_CASE("the least bound that proves a schedule is that of the decimal number") {
  CHECK(sufficient_bound(26, 0.3) == 20);  // 0.3 in binary is less
  CHECK(sufficient_bound(27, 0.3) == 21);
  CHECK(sufficient_bound(11, 0.1) == 10);
  CHECK(sufficient_bound(12, 0.1) == 11);
  CHECK(sufficient_bound(0, 0.5) == 0);
  CHECK(sufficient_bound(1, 1) == 1);
  CHECK(sufficient_bound(2, 1) == 1);
  CHECK(sufficient_bound(3, 1) == 2);
  CHECK(sufficient_bound(1296, 0.0435) == 1242);
  CHECK(sufficient_bound(1296, 0.0434) == 1243);
  constexpr std::int64_t large = std::int64_t{1} << 56;
  CHECK(sufficient_bound(large, 1) == large / 2);
  CHECK(sufficient_bound(large, 1e-9) == 72057593965870343);  // 2^56 * 10^9 / (10^9 + 1), rounded up
  CHECK(sufficient_bound(2 * large, 0.12345678901234567) <= 2 * large);
}

TEST_CASE("it is the least one for any percentage") {
  std::mt19937_64 random(6);
  for (int n = 0; n < 2000; ++n) {
    const auto percent = static_cast<std::int64_t>(1 + random() % 100);
    const auto makespan = static_cast<std::int64_t>(random() % 100'000);
    const std::int64_t bound = sufficient_bound(makespan, static_cast<double>(percent) / 100);
    CHECK(100 * makespan <= (100 + percent) * bound);
    CHECK((bound == 0 || 100 * makespan > (100 + percent) * (bound - 1)));
  }
}

}  // namespace terrace::stages
