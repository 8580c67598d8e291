// Weights: what becomes of elements; when scans end, and how they are watched.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "stages/recursive/weights.hpp"

namespace terrace::stages {
namespace {

/// A matrix of i32, and the number of its elements that were read.
class CountingMatrix : public io::Source {
 public:
  CountingMatrix(Extents shape, std::vector<std::int32_t> values) : shape_(shape), values_(std::move(values)) {}

  ElementType type() const override { return ElementType::i32; }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    copy_box(values_.data(), Box::whole(shape_), buffer, box, box, sizeof(std::int32_t));
    elements_read += box.volume();
  }

 private:
  Extents shape_;
  std::vector<std::int32_t> values_;

 public:
  std::int64_t elements_read = 0;
};

/// A row of f32.
class RealRow : public io::Source {
 public:
  explicit RealRow(std::vector<float> values)
      : shape_{1, static_cast<std::int64_t>(values.size())}, values_(std::move(values)) {}

  ElementType type() const override { return ElementType::f32; }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    copy_box(values_.data(), Box::whole(shape_), buffer, box, box, sizeof(float));
  }

 private:
  Extents shape_;
  std::vector<float> values_;
};

/// The elements in another type, as text; the message of the error if they are refused.
template <class To>
std::string elements_as(const std::vector<float>& values, const WeightRules& rules) {
  const auto row = std::make_shared<RealRow>(values);
  std::vector<To> found(values.size());
  try {
    weights(row, element_type_of<To>(), rules)->read(Box::whole(row->shape()), found.data());
  } catch (const io::DataError& error) {
    return error.what();
  }
  std::string text;
  for (const To value : found) text += std::to_string(static_cast<double>(value)) + " ";
  return text;
}

}  // namespace

TEST_CASE("a scan ends once it has seen enough, and tells whether it saw all") {
  constexpr std::int64_t rows = 400, columns = 1000;
  std::vector<std::int32_t> values(rows * columns, 3);
  values.back() = 8;
  CountingMatrix matrix({rows, columns}, std::move(values));
  std::vector<std::int64_t> done;
  const Watch watch = [&](const std::string& part, const std::string&, std::int64_t now, std::int64_t all) {
    CHECK(part == "reading 'm' to plan");
    CHECK(all == rows * columns);
    done.push_back(now);
  };
  WeightRules rules;
  rules.label.array = "m";
  const WeightScan whole = scan_weights(matrix, rules, watch);
  CHECK(whole.whole);
  CHECK(whole.range.most == 8);
  REQUIRE(done.size() > 2);
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(done.back() == rows * columns);
  matrix.elements_read = 0;
  const WeightScan part =
      scan_weights(matrix, rules, nullptr, [](const WeightRange& seen) { return seen.most >= 3; });
  CHECK_FALSE(part.whole);
  CHECK(matrix.elements_read < rows * columns / 2);
}

TEST_CASE("a watch that throws ends a scan") {
  CountingMatrix matrix({2000, 1000}, std::vector<std::int32_t>(2000000, 3));
  const Watch watch = [](const auto&...) { throw Stopped("enough"); };
  CHECK_THROWS_AS(scan_weights(matrix, {}, watch), Stopped);
  CHECK(matrix.elements_read < 1000000);
}

TEST_CASE("elements that keep their type are the same, or refused as well, as in a wider one") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float largest = std::numeric_limits<float>::max();
  constexpr float special[] = {infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), largest, -largest, -0.0F,
                               -1.0F,    7.0F};
  int refused = 0, taken = 0;
  for (const auto nothing :
       {recursive::Nothing::zero, recursive::Nothing::infinity, recursive::Nothing::minus_infinity}) {
    for (int choice = 0; choice < 16; ++choice) {
      WeightRules rules;
      rules.label.array = "m";
      rules.nothing = nothing;
      rules.zero_diagonal = (choice & 1) != 0;
      rules.any_infinity = (choice & 2) != 0;
      rules.not_negative = (choice & 4) != 0;
      if ((choice & 8) != 0) rules.no_edge = 7;
      for (const float value : special) {
        std::vector<float> values(70, 1.5F);  // longer than a vector, and no multiple of one
        for (const std::size_t at : {std::size_t{0}, std::size_t{33}, values.size() - 1}) {
          values[at] = value;
          const std::string same = elements_as<float>(values, rules);
          INFO(value << " at " << at << ", rules " << choice);
          CHECK(same == elements_as<double>(values, rules));
          (same.find("m") == std::string::npos ? taken : refused) += 1;
          values[at] = 1.5F;
        }
      }
    }
  }
  CHECK(refused > 100);
  CHECK(taken > 100);
}

}  // namespace terrace::stages
