// Bounds of the values of nests, by which compiled code is narrow and unchecked.
#include <catch2/catch.hpp>

#include "kernels/nest/distances.hpp"
#include "kernels/nest/value_ranges.hpp"
#include "tests/support/nests.hpp"

namespace terrace::nest {
namespace {

/// The bounds of the first array.
formula::Bounds bounds_of_first(const Written& written) {
  NestSpec spec;
  auto nest = std::make_shared<Nest>(write(written.text));
  spec.flow = flow_of(*nest);
  spec.skew = least_skew(*nest, spec.flow, false);
  spec.kept.resize(nest->arrays.size());
  spec.nest = std::move(nest);
  return array_bounds(spec)[0];
}

bool is_equal(const formula::Bounds& bounds, i64 least, i64 most) {
  return bounds.least == least && bounds.most == most;
}

TEST_CASE("a value grows by a number at most along each dependence") {
  Written made;
  made.letters("a", 50).letters("b", 70).loop("i", "size(a)").loop("j", "size(b)");
  made.array("D", ElementType::i32, "", "i + j + 2");
  made.cell("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)");
  const formula::Bounds bounds = bounds_of_first(made);
  CHECK(bounds.most < 1000);
  CHECK(bounds.least > -1000);
}

TEST_CASE("a value that may double has the bounds of its type") {
  Written made;
  made.loop("i", "50").array("D", ElementType::i32, "", "1").cell("D[i] = D[i-1] + D[i-2]");
  CHECK(is_equal(bounds_of_first(made), -2147483648LL, 2147483647));
}

TEST_CASE("a remainder bounds what may grow") {
  Written made;
  made.loop("i", "50").array("D", ElementType::i64, "", "3000").cell("D[i] = (3*D[i-1] + 2*D[i-2]) % 1009");
  const formula::Bounds bounds = bounds_of_first(made);
  CHECK((bounds.most == 3000 && bounds.least >= -1008));
}

TEST_CASE("inputs bound what is chosen of them") {
  Written made;
  made.letters("a", 50)
      .loop("i", "50")
      .array("D", ElementType::i32, "", "7")
      .cell("D[i] = max(a[i], min(D[i-1], 9))");
  CHECK(is_equal(bounds_of_first(made), 0, 15));
}

}  // namespace
}  // namespace terrace::nest
