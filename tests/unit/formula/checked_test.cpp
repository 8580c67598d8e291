// Whole numbers that are exact or fail, statements, and numbers as texts.
#include "kernels/formula/checked.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "kernels/formula/program.hpp"

namespace terrace::formula {
namespace {

/// x and y are whole numbers, r is real, t[...] is an array of 4 elements: 10, 11, 12, 13.
Formula checked_formula(const std::string& text, Type wanted) {
  Scope scope;
  scope.is_checked = true;
  scope.names = {"x", "y", "r", "t"};
  scope.meaning = [](const Syntax& syntax) {
    Meaning meaning;
    meaning.kind = Meaning::node;
    meaning.of_node = {Operation::read, syntax.word == "r" ? Type::f64 : Type::i64};
    meaning.of_node.number = syntax.word == "x" ? 0 : syntax.word == "y" ? 1 : 2;
    meaning.bounds = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    if (syntax.word != "t") return meaning;
    meaning.of_node.operation = Operation::look_up;
    meaning.looks_up = true;
    return meaning;
  };
  Formula formula;
  formula.add_result(check(*parse(text), scope, wanted, formula));
  return formula;
}

/// The program gives the same, or fails where what is not chosen does.
void check_program(const Formula& formula, std::int64_t x, std::int64_t y, double r, const std::string& outcome,
                   Type wanted) {
  const Program program(formula);
  CHECK(program.is_there() != formula.uses(Operation::look_up));
  if (!program.is_there()) return;
  std::vector<Register> registers = program.registers();
  for (const int leaf : program.leaves()) {
    Register& at = registers[static_cast<std::size_t>(leaf)];
    if (formula[leaf].type == Type::f64) at.real = r;
    else at.whole = formula[leaf].number == 0 ? x : y;
  }
  if (!program.run(registers.data())) {
    CHECK((outcome.find_first_of("0123456789") == outcome.npos || formula.uses(Operation::choose) ||
           formula.uses(Operation::both) || formula.uses(Operation::either)));
    return;
  }
  const Register made = registers[static_cast<std::size_t>(program.result())];
  CHECK(outcome == (wanted == Type::f64 ? std::to_string(made.real) : std::to_string(made.whole)));
}

/// The value, or the reason why there is none.
std::string outcome(const std::string& text, std::int64_t x, std::int64_t y, double r = 0, Type wanted = Type::i64) {
  const Formula formula = checked_formula(text, wanted);
  CheckedCells cells(formula);
  struct Leaf {
    std::int64_t x, y;
    double r;
    CellValue operator()(const Node& node) const {
      if (node.type == Type::f64) return {r, 0};
      return {0, node.number == 0 ? x : y};
    }
    bool operator()(const Node&, const CellValue* subscripts, CellValue& value) const {
      value = {0, 10 + subscripts[0].whole};
      return subscripts[0].whole >= 0 && subscripts[0].whole < 4;
    }
  };
  std::string all;
  for (int cell = 0; cell < 2; ++cell) {  // the same again, of another cell
    CellValue value;
    const bool is_made = cells.compute(0, Leaf{x, y, r}, value);
    constexpr const char* reasons[] = {"none", "overflow", "zero divisor", "no whole", "no element"};
    const std::string one = is_made ? (wanted == Type::f64 ? std::to_string(value.real) : std::to_string(value.whole))
                                    : reasons[cells.failure().kind];
    if (cell == 1) CHECK(one == all);
    all = one;
  }
  check_program(formula, x, y, r, all, wanted);
  return all;
}

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

TEST_CASE("whole numbers are exact, or there is no value") {
  CHECK(outcome("x + y", 3, 4) == "7");
  CHECK(outcome("x + y", most, 1) == "overflow");
  CHECK(outcome("x - y", least, 1) == "overflow");
  CHECK(outcome("x * y", most, 2) == "overflow");
  CHECK(outcome("-x", least, 0) == "overflow");
  CHECK(outcome("abs(x)", least, 0) == "overflow");
  CHECK(outcome("abs(x)", -5, 0) == "5");
  CHECK(outcome("x / y", -7, 2) == "-3");
  CHECK(outcome("x % y", -7, 2) == "-1");
  CHECK(outcome("x / y", least, -1) == "overflow");
  CHECK(outcome("x % y", least, -1) == "0");
  CHECK(outcome("x / y", 1, 0) == "zero divisor");
  CHECK(outcome("x % y", 1, 0) == "zero divisor");
  CHECK(outcome("i32(x)", std::int64_t{1} << 31, 0) == "overflow");
  CHECK(outcome("i32(x) + i32(y)", (std::int64_t{1} << 31) - 1, 1) == "overflow");
  CHECK(outcome("i32(x) + i32(y)", (std::int64_t{1} << 31) - 1, 0) == "2147483647");
}

TEST_CASE("real numbers become whole without their fraction") {
  CHECK(outcome("i64(r)", 0, 0, -2.75) == "-2");
  CHECK(outcome("i32(r)", 0, 0, 2147483647.5) == "2147483647");
  CHECK(outcome("i32(r)", 0, 0, 2147483648.0) == "no whole");
  CHECK(outcome("i64(r)", 0, 0, 0x1p63) == "no whole");
  CHECK(outcome("i64(r)", 0, 0, -0x1p63) == std::to_string(least));
  CHECK(outcome("i64(0.0/r)", 0, 0, 0) == "no whole");
  CHECK(outcome("x + r", 2, 0, 0.5, Type::f64) == "2.500000");
}

TEST_CASE("what is not chosen cannot fail") {
  CHECK(outcome("if(y != 0, x / y, 5)", 1, 0) == "5");
  CHECK(outcome("if(y != 0, x / y, 5)", 8, 2) == "4");
  CHECK(outcome("if(y != 0 && x / y > 1, 1, 0)", 8, 0) == "0");
  CHECK(outcome("if(y == 0 || x / y > 1, 1, 0)", 8, 0) == "1");
  CHECK(outcome("if(y == 0 || x / y > 1, 1, 0)", 8, 4) == "1");
  CHECK(outcome("x / y + if(y != 0, 1, 2)", 1, 0) == "zero divisor");
}

TEST_CASE("look-ups find elements by values") {
  CHECK(outcome("t[x + 1]", 2, 0) == "13");
  CHECK(outcome("t[x + 1]", 3, 0) == "no element");
  CHECK(outcome("t[t[x] - 10]", 2, 0) == "12");
}

TEST_CASE("a statement has a target and a value") {
  const Assignment statement = parse_assignment("D[i-1][j] = a == b");
  CHECK(statement.target->word == "D");
  CHECK(statement.target->groups == std::vector<std::size_t>{1, 1});
  CHECK(statement.value->word == "==");
  CHECK(statement.value->at == 14);
  CHECK_THROWS_AS(parse_assignment("D[i] == 2"), Fault);
  CHECK_THROWS_AS(parse_assignment("D[i] = 2 = 3"), Fault);
  CHECK_THROWS_AS(parse_assignment("-D[i] = 2"), Fault);
}

TEST_CASE("numbers are read as formulas read them") {
  CHECK(number_from("-12")->whole == -12);
  CHECK(number_from("-12")->is_whole);
  CHECK(number_from("0.25")->real == 0.25);
  CHECK(!number_from("x"));
  CHECK(!number_from("1 + 2"));
  CHECK(!number_from(""));
}

}  // namespace
}  // namespace terrace::formula
