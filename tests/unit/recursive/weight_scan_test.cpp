// Scans of weights: when they end, and how they are watched.
#include <algorithm>
#include <catch2/catch.hpp>
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

}  // namespace terrace::stages
