// Whole numbers that lose digits in f32 and f64: which are found, and which is named.
#include "io/rounded.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "io/convert.hpp"
#include "io/memory_source.hpp"

namespace terrace::io {
namespace {

template <class To, class T>
bool changes(T number) {
  return static_cast<long double>(static_cast<To>(number)) != static_cast<long double>(number);
}

template <class To, class T>
void compare_around_powers() {
  using Limits = std::numeric_limits<T>;
  constexpr int kept = std::numeric_limits<To>::digits;
  for (int bit = 0; bit < Limits::digits; ++bit) {
    const T power = static_cast<T>(T(1) << bit);
    for (const int shift : {0, 1, 2, 3, bit - kept + 1, bit - kept, bit - kept - 1}) {
      if (shift < 0 || shift >= bit) continue;
      const T low = static_cast<T>(T(1) << shift);
      for (const T number : {power, static_cast<T>(power + low), static_cast<T>(power - low)}) {
        INFO(std::to_string(number));
        CHECK(loses_digits<To>(number) == changes<To>(number));
        if (Limits::is_signed)
          CHECK(loses_digits<To>(static_cast<T>(T(0) - number)) == changes<To>(static_cast<T>(T(0) - number)));
      }
    }
  }
  for (const T number : {T(0), Limits::max(), Limits::lowest()})
    CHECK(loses_digits<To>(number) == changes<To>(number));
}

}  // namespace

TEST_CASE("A whole number loses digits in f32 where it comes back as another") {
  compare_around_powers<float, std::int32_t>();
  compare_around_powers<float, std::uint32_t>();
  compare_around_powers<float, std::int64_t>();
  compare_around_powers<float, std::uint64_t>();
}

TEST_CASE("A whole number loses digits in f64 where it comes back as another") {
  compare_around_powers<double, std::int32_t>();
  compare_around_powers<double, std::uint32_t>();
  compare_around_powers<double, std::int64_t>();
  compare_around_powers<double, std::uint64_t>();
}

TEST_CASE("The first of the elements that lost digits is named, in whatever order they were read") {
  std::vector<std::int64_t> numbers(6 * 5, 1 << 24);
  numbers[2 * 5 + 3] = (1 << 24) + 1;
  numbers[4 * 5 + 1] = -(1 << 24) - 1;
  std::vector<std::byte> bytes(numbers.size() * sizeof(numbers[0]));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  const auto source = std::make_shared<MemorySource>(ElementType::i64, Extents{6, 5}, bytes);
  const auto rounded = std::make_shared<RoundedElement>();
  const auto floats = convert(source, ElementType::f32, rounded);
  std::vector<float> read(numbers.size());
  floats->read({{0, 0}, {2, 5}}, read.data());
  CHECK_FALSE(rounded->found());
  floats->read({{3, 1}, {6, 4}}, read.data());
  REQUIRE(rounded->found());
  CHECK(rounded->found()->index == Extents{4, 1});
  floats->read({{2, 2}, {6, 4}}, read.data());
  CHECK(rounded->found()->index == Extents{2, 3});
  CHECK(rounded->found()->number == "16777217");
  CHECK(rounded->found()->value == 16777216.0);
  floats->read({{4, 0}, {5, 5}}, read.data());
  CHECK(rounded->found()->index == Extents{2, 3});

  const auto wide = std::make_shared<RoundedElement>();
  std::vector<double> doubles(numbers.size());
  convert(source, ElementType::f64, wide)->read(Box::whole({6, 5}), doubles.data());
  CHECK_FALSE(wide->found());

  numbers[1] = (std::int64_t{1} << 53) + 1;
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  convert(std::make_shared<MemorySource>(ElementType::i64, Extents{6, 5}, bytes), ElementType::f64, wide)
      ->read(Box::whole({6, 5}), doubles.data());
  REQUIRE(wide->found());
  CHECK(wide->found()->index == Extents{0, 1});
  CHECK(wide->found()->number == "9007199254740993");
  CHECK(wide->found()->value == 9007199254740992.0);
}

}  // namespace terrace::io
