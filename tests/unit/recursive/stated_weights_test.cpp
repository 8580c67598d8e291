// Ranges of weights that inputs state: what is relied on, and elements that contradict it.
#include "stages/recursive/stated_weights.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "stages/recursive/weights.hpp"

namespace terrace::stages {
namespace {

/// A matrix with a statement, which may be wrong.
template <class T>
class StatingMatrix : public io::Source {
 public:
  StatingMatrix(Extents shape, std::vector<T> values, std::optional<io::KnownRange> range)
      : shape_(shape), values_(std::move(values)), range_(std::move(range)) {}

  ElementType type() const override { return element_type_of<T>(); }
  const Extents& shape() const override { return shape_; }
  std::optional<io::KnownRange> known_range() const override { return range_; }
  void read(const Box& box, void* buffer) override {
    copy_box(values_.data(), Box::whole(shape_), buffer, box, box, sizeof(T));
  }

 private:
  Extents shape_;
  std::vector<T> values_;
  std::optional<io::KnownRange> range_;
};

io::KnownRange between(long double least, long double most, bool exact = true) {
  return {least, most, {}, false, exact, "a test"};
}

template <class T>
std::optional<StatedWeights> stated(const io::KnownRange& range, const WeightRules& rules = {}) {
  return stated_weights(StatingMatrix<T>({0, 0}, {}, range), rules);
}

WeightRules with_no_edge(double value) {
  WeightRules rules;
  rules.no_edge = value;
  return rules;
}

constexpr std::int32_t infinity = std::numeric_limits<std::int32_t>::max() / 2;

/// Reads a matrix of i32 as weights, with a statement of -2 to 9.
std::vector<std::int32_t> read_stated(std::vector<std::int32_t> values, WeightRules rules = {}) {
  const auto side = static_cast<std::int64_t>(values.size()) / 3;
  rules.label.array = "m";
  rules.zero_diagonal = false;
  rules.stated = StatedWeights{{true, -2, 9}, false, "the range that a test states"};
  auto matrix = std::make_shared<StatingMatrix<std::int32_t>>(Extents{side, 3}, std::move(values), std::nullopt);
  std::vector<std::int32_t> found(static_cast<std::size_t>(side * 3));
  weights(matrix, ElementType::i32, rules)->read(Box::whole({side, 3}), found.data());
  return found;
}

}  // namespace

TEST_CASE("weights are what is stated of elements, but for those that mean no edge") {
  const auto plain = stated<std::int32_t>(between(-3, 12));
  REQUIRE(plain);
  CHECK(plain->range.least == -3);
  CHECK(plain->range.most == 12);
  CHECK(plain->exact);
  CHECK(plain->reason.find("a test states") != std::string::npos);
  CHECK_FALSE(stated_weights(StatingMatrix<std::int32_t>({0, 0}, {}, std::nullopt), {}));
  // Half of the largest value is no edge: the largest weight is less, and it is not known by how much.
  const auto most = stated<std::int32_t>(between(0, infinity));
  CHECK(most->range.most == infinity - 1);
  CHECK_FALSE(most->exact);
  const auto least = stated<std::int32_t>(between(-1, 40), with_no_edge(-1));
  CHECK(least->range.least == 0);
  CHECK_FALSE(least->exact);
  CHECK(stated<std::uint8_t>(between(0, 255))->range.most == 255);
  CHECK(stated<double>(between(0.5L, 7.5L))->range.least == 1);
  CHECK(stated<double>(between(0.5L, 7.5L))->range.most == 7);
}

TEST_CASE("fillers are weights, unless they mean no edge") {
  io::KnownRange range = between(0, 10);
  range.fillers = {infinity};
  CHECK(stated<std::int32_t>(range)->range.most == 10);
  CHECK(stated<std::int32_t>(range)->exact);
  range.fillers = {-1};
  CHECK(stated<std::int32_t>(range)->range.least == -1);
  CHECK(stated<std::int32_t>(range, with_no_edge(-1))->range.least == 0);
  const io::KnownRange none{1, 0, {infinity}, false, true, "a graph"};
  CHECK_FALSE(stated<std::int32_t>(none)->range.any);
}

TEST_CASE("what is beyond i64 states nothing") {
  CHECK_FALSE(stated<std::uint64_t>(between(0, 18446744073709551615.0L)));
  CHECK_FALSE(stated<double>(between(0, std::numeric_limits<long double>::infinity())));
  CHECK(stated<std::uint64_t>(between(0, 5), with_no_edge(0x1p64))->range.most == 5);
}

TEST_CASE("elements within the stated range are read, those outside are errors with their place") {
  const std::vector<std::int32_t> right{0, 9, -2, infinity, 3, 3};
  CHECK(read_stated(right) == right);
  CHECK_THROWS_WITH(read_stated({0, 1, 2, 3, 10, 5}),
                    Catch::Contains("'m', row 1, column 1: 10 is outside of -2 to 9, the range that a test states"));
  CHECK_THROWS_WITH(read_stated({0, 1, -3, 3, 4, 5}), Catch::Contains("row 0, column 2: -3 is outside"));
  // Infinity is no weight, and the value that the job names is none either.
  CHECK(read_stated({0, 77, 5}, with_no_edge(77)) == std::vector<std::int32_t>{0, infinity, 5});
  CHECK_THROWS_WITH(read_stated({0, infinity, 5}, with_no_edge(77)), Catch::Contains("column 1"));
}

TEST_CASE("the first element outside of a range is found in every type, wherever it is") {
  WeightRules rules;
  rules.stated = StatedWeights{{true, 1, 100}, false, ""};
  const auto check = [&]<class T>(T wrong) {
    for (const std::int64_t at : {0, 1, 63, 500, 998}) {
      std::vector<T> values(999, T(100));
      values[7] = T(1);
      CHECK_FALSE(first_outside(element_type_of<T>(), values.data(), 999, rules));
      values[static_cast<std::size_t>(at)] = wrong;
      CHECK(first_outside(element_type_of<T>(), values.data(), 999, rules) == at);
    }
  };
  check(std::uint8_t{0});
  check(std::uint8_t{101});
  check(std::int8_t{-1});
  check(std::uint16_t{60000});
  check(std::int16_t{-30000});
  check(std::uint32_t{4000000000});
  check(std::int32_t{0});
  check(std::uint64_t{1} << 63);
  check(std::int64_t{101});
  check(0.5f);
  check(100.5);
  rules.stated->range = {};
  const std::vector<std::int32_t> none{infinity, infinity, 4};
  CHECK(first_outside(ElementType::i32, none.data(), 3, rules) == 2);
  CHECK_FALSE(first_outside(ElementType::i32, none.data(), 2, rules));
}

}  // namespace terrace::stages
