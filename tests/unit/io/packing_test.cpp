// Packed arrays as readers take them, against the definition, element by element.
#include "io/packing.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "io/convert.hpp"
#include "io/memory_source.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

template <class T>
class PackedNumbers : public MemorySource {
 public:
  PackedNumbers(const std::vector<T>& values, const Extents& shape, Packing packing)
      : MemorySource(element_type_of<T>(), shape,
                     {reinterpret_cast<const std::byte*>(values.data()),
                      reinterpret_cast<const std::byte*>(values.data() + values.size())}),
        packing_(std::make_shared<const Packing>(std::move(packing))) {}
  std::shared_ptr<const Packing> packing() const override { return packing_; }

 private:
  std::shared_ptr<const Packing> packing_;
};

/// The value of an element by the definition; NaN: it is missing.
template <class T>
double value_of(T element, const Packing& packing) {
  if (std::isnan(static_cast<double>(element))) return NAN;
  for (const Packing::Fill& fill : packing.fills) {
    if (static_cast<long double>(element) == fill.value) return NAN;
  }
  const double value = static_cast<double>(element) * packing.scale + packing.offset;
  const auto compared = [&](const Packing::Bound& bound) -> long double {
    return bound.unpacked ? static_cast<long double>(value) : static_cast<long double>(element);
  };
  if (packing.least && compared(*packing.least) < packing.least->value) return NAN;
  if (packing.most && compared(*packing.most) > packing.most->value) return NAN;
  return value;
}

DataLabel label() { return {"m", "s", {}}; }

/// Elements of which a few are special, more than are looked at together.
template <class T>
std::vector<T> numbers(const std::vector<T>& special, std::int64_t count, std::mt19937& draw) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    value = draw() % 1000 == 0 ? special[draw() % special.size()] : static_cast<T>(10 + draw() % 90);
  }
  return values;
}

template <class T>
void check_against_definition() {
  std::mt19937 draw(7);
  // Integers with more digits than f64 holds are errors, where they are not scaled.
  T most = std::numeric_limits<T>::max();
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) most -= most % (T(1) << 11);
  const std::vector<T> special{T(1), T(2), T(120), most, std::numeric_limits<T>::lowest()};
  for (int round = 0; round < 40; ++round) {
    Packing packing;
    packing.unpack = true;
    packing.element = element_type_of<T>();
    for (const T fill : special) {
      if (draw() % 3 == 0) packing.fills.push_back({static_cast<long double>(fill), "attribute `_FillValue`"});
    }
    if (draw() % 2 == 0) packing.scale = 0.25, packing.offset = -1;
    const bool scaled_bounds = packing.is_scaled() && draw() % 2 == 0;
    if (draw() % 2 == 0)
      packing.least = Packing::Bound{scaled_bounds ? 1.5L : 2.5L, "attribute `valid_min`", scaled_bounds};
    if (draw() % 2 == 0)
      packing.most = Packing::Bound{scaled_bounds ? 20.L : 100.L, "attribute `valid_max`", scaled_bounds};
    const Extents shape{97, 131};
    const std::vector<T> values = numbers(special, volume(shape), draw);
    const auto source = unpacked(std::make_shared<PackedNumbers<T>>(values, shape, packing), label(), true);
    const auto found = read_all<double>(*convert(source, ElementType::f64));
    for (std::size_t n = 0; n < values.size(); ++n) {
      const double expected = value_of(values[n], packing);
      INFO(round << ", element " << n);
      if (std::isnan(expected)) REQUIRE(std::isnan(found[n]));
      else REQUIRE(found[n] == expected);
    }
  }
}

/// The array of those elements as a reader without NaN takes it, and its error, if there is one.
template <class T>
std::shared_ptr<Source> read_by_others(const std::vector<T>& values, const Packing& packing) {
  const Extents shape{static_cast<std::int64_t>(values.size())};
  return unpacked(std::make_shared<PackedNumbers<T>>(values, shape, packing), label(), false);
}

template <class T>
std::string error_of_read(const std::vector<T>& values, const Packing& packing) {
  TempFolder folder;
  return error_of(folder, [&] { read_all<T>(*read_by_others(values, packing)); });
}

Packing packing_of(ElementType type, bool unpack) {
  Packing packing;
  packing.element = type;
  packing.unpack = unpack;
  packing.fills = {{9, "attribute `_FillValue`"}};
  return packing;
}

}  // namespace

TEST_CASE("Packed arrays of every type are unpacked by the definition") {
  check_against_definition<std::uint8_t>();
  check_against_definition<std::int8_t>();
  check_against_definition<std::uint16_t>();
  check_against_definition<std::int16_t>();
  check_against_definition<std::uint32_t>();
  check_against_definition<std::int32_t>();
  check_against_definition<std::uint64_t>();
  check_against_definition<std::int64_t>();
  check_against_definition<float>();
  check_against_definition<double>();
}

TEST_CASE("An element that an attribute would change is an error where nothing says what to do with it") {
  const Packing packing = packing_of(ElementType::i32, false);
  CHECK(error_of_read<std::int32_t>({1, 2, 3}, packing) == "none");
  CHECK(error_of_read<std::int32_t>({1, 9, 3}, packing) ==
        "io: stage 's': m[1]: 9 is no value, by its attribute `_FillValue`: say `unpack: true` at the input to read "
        "what "
        "its elements stand for, or `unpack: false` to read them as they are stored");
  CHECK(error_of_read<std::int32_t>({1, 9, 3}, packing_of(ElementType::i32, true)) ==
        "io: stage 's': m[1]: is missing (9, by its attribute `_FillValue`), and this stage computes with numbers "
        "alone: "
        "fill the gaps first, or say `unpack: false` at the input to read its elements as they are stored");
}

TEST_CASE("Integers without a missing element stay integers, and keep all their digits") {
  constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> values{large, -large, 1};
  CHECK(read_all<std::int64_t>(*read_by_others(values, packing_of(ElementType::i64, true))) == values);
}

TEST_CASE("Integers beside missing ones that f64 does not hold are errors, and missing ones are not looked at") {
  constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
  Packing packing = packing_of(ElementType::i64, true);
  const auto error = [&](const std::vector<std::int64_t>& values) {
    const Extents shape{static_cast<std::int64_t>(values.size())};
    const auto source =
        unpacked(std::make_shared<PackedNumbers<std::int64_t>>(values, shape, packing), label(), true);
    TempFolder folder;
    return error_of(folder, [&] { read_all<double>(*source); });
  };
  CHECK(error({large - 1, -large + 1, 9, 1}) == "none");
  CHECK(error({1, -large}).find("io: stage 's': m[1]: -9007199254740993 has more digits than f64 holds") == 0);
  packing.fills.push_back({large, "attribute `missing_value`"});
  CHECK(error({large, 1}) == "none");
}

TEST_CASE("A reader with an element for no value gets it, in its type") {
  const std::vector<std::int32_t> values{1, 9, 1000, 77};
  for (const bool unpack : {false, true}) {
    Packing packing = packing_of(ElementType::i32, unpack);
    packing.most = Packing::Bound{100, "attribute `valid_max`"};
    const auto array = read_by_others(values, packing);
    const auto wide = with_no_value(array, {ElementType::i64, 5000});
    if (unpack) CHECK(read_all<std::int64_t>(*wide) == std::vector<std::int64_t>{1, 5000, 5000, 77});
    // The elements for no value that an array has are what they are.
    const auto same = with_no_value(array, {ElementType::i32, 9, 1000});
    if (unpack) CHECK(read_all<std::int32_t>(*same) == std::vector<std::int32_t>{1, 9, 9, 77});
    else CHECK(read_all<std::int32_t>(*same) == values);
  }
  const auto plain = std::make_shared<MemorySource>(ElementType::u8, Extents{1}, std::vector<std::byte>(1));
  CHECK(with_no_value(plain, {ElementType::u8, 0}) == plain);
  CHECK(unpacked(plain, label(), true) == plain);
}

TEST_CASE("Bounds that no element, or every element, meets are bounds all the same") {
  Packing packing;
  packing.element = ElementType::u8;
  packing.most = Packing::Bound{300, "attribute `valid_max`"};
  CHECK(error_of_read<std::uint8_t>({0, 255}, packing) == "none");
  packing.most = Packing::Bound{-1, "attribute `valid_max`"};
  CHECK(error_of_read<std::uint8_t>({3}, packing).find("outside of its attribute `valid_max`") != std::string::npos);
  CHECK(error_of_read<std::uint8_t>({0}, packing).find("outside of its attribute `valid_max`") != std::string::npos);
}
