// Formulas with fewer operations of the same value.
#include "kernels/nest/addends.hpp"

#include <catch2/catch.hpp>

#include "tests/support/nests.hpp"

namespace terrace::nest {
namespace {

/// The statement of a nest over i and j, as it is and with common addends.
std::pair<formula::Formula, formula::Formula> formulas_of(const std::string& value) {
  Written made;
  made.loop("i", "9").loop("j", "9").array("D", ElementType::i32, "", "0").cell("D[i][j] = " + value);
  const formula::Formula formula = write(made.text).statements[0].value;
  return {formula, with_common_addends(formula)};
}

TEST_CASE("a constant that the operands of a minimum share is added once") {
  const auto [formula, made] = formulas_of("min(D[i-1][j-1] + i, D[i-1][j] + 1, D[i][j-1] + 1)");
  CHECK(made.operations() == formula.operations() - 1);
  const formula::Node& sum = made[made[made.results().front()].operands[1]];
  CHECK(sum.operation == formula::Operation::add);
  CHECK(made[sum.operands[0]].operation == formula::Operation::minimum);
}

TEST_CASE("sums with other constants, and minima within maxima, stay") {
  for (const char* value : {"min(D[i-1][j] + 1, D[i][j-1] + 2)", "max(D[i-1][j] + 1, min(D[i][j-1] + 1, 7))"}) {
    const auto [formula, made] = formulas_of(value);
    CHECK(made.operations() == formula.operations());
  }
}

}  // namespace
}  // namespace terrace::nest
