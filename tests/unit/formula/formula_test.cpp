// Expressions, their types and their faults.
#include "kernels/formula/formula.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "kernels/formula/evaluate.hpp"

namespace terrace::formula {
namespace {

/// u and v are fields of f32 with the values 3 and 5, w is an array of f64 with the value 0.5, i an index below 100,
/// of the value 7; D and n are parameters: 0.25 and 4.
Scope scope_of(Type real = Type::f32) {
  Scope scope;
  scope.names = {"u", "v", "w", "i", "D", "n"};
  scope.real = real;
  scope.meaning = [](const Syntax& syntax) {
    Meaning meaning;
    const auto read = [&](int number, Type type) {
      meaning.kind = Meaning::node;
      meaning.of_node = {Operation::read, type};
      meaning.of_node.number = number;
      for (std::size_t n = 0; n < syntax.children.size(); ++n) {
        meaning.of_node.offset[n] = static_cast<int>(constant_of(*syntax.children[n]));
      }
    };
    if (syntax.word == "u" || syntax.word == "v") read(syntax.word == "u" ? 0 : 1, Type::f32);
    if (syntax.word == "w") read(2, Type::f64);
    if (syntax.word == "i") {
      meaning.kind = Meaning::node;
      meaning.of_node = {Operation::index, Type::i64};
      meaning.bounds = {0, 99};
    }
    if (syntax.word == "D") meaning = {Meaning::number, false, 0.25};
    if (syntax.word == "n") meaning = {Meaning::number, true, 0, 4};
    return meaning;
  };
  return scope;
}

Formula formula_of(const std::string& text, Type wanted = Type::f32) {
  Formula formula;
  formula.add_result(check(*parse(text), scope_of(), wanted, formula));
  return formula;
}

CellValue value_of(const std::string& text, Type wanted = Type::f32) {
  const Formula formula = formula_of(text, wanted);
  std::vector<CellValue> values;
  evaluate(
      formula,
      [](const Node& node) {
        if (node.operation == Operation::index) return CellValue{0, 7};
        const double reads[] = {3, 5, 0.5};
        return CellValue{reads[node.number] + 10 * node.offset[0] + node.offset[1], 0};
      },
      values);
  return values[static_cast<std::size_t>(formula.results().front())];
}

/// "byte: what" of the fault of a text; empty if there is none.
std::string fault_of(const std::string& text, Type wanted = Type::f32) {
  try {
    formula_of(text, wanted);
  } catch (const Fault& fault) {
    return std::to_string(fault.at) + ": " + fault.what;
  }
  return "";
}

TEST_CASE("operators bind as in C, and operate from the left") {
  CHECK(value_of("1 + 2*3").real == 7);
  CHECK(value_of("u - v - 1").real == -3);
  CHECK(value_of("-u*v").real == -15);
  CHECK(value_of("12.0/u/2").real == 2);
  CHECK(value_of("2*(u + v)").real == 16);
  CHECK(value_of("if(u < v && !(v <= u) || u == v, 1, 2)").real == 1);
  CHECK(value_of("if(u > v != (v >= u), u, v)").real == 3);
  CHECK(value_of("min(u, v, 2)").real == 2);
  CHECK(value_of("max(u, v, 2)").real == 5);
  CHECK(value_of("abs(u - v)").real == 2);
  CHECK(value_of("sqrt(u*u + 16)").real == 5);
  CHECK(value_of("fma(u, v, 1)").real == 16);
  CHECK(value_of("7/n", Type::i64).whole == 1);
  CHECK(value_of("-7/n", Type::i64).whole == -1);
  CHECK(value_of("-7 % n", Type::i64).whole == -3);
  CHECK(value_of("i % 2", Type::i64).whole == 1);
  CHECK(value_of("+u").real == 3);
}

TEST_CASE("minimum and maximum are defined for NaN and zeros of both signs") {
  CHECK(value_of("min(0.0/0.0, u)").real != value_of("min(0.0/0.0, u)").real);
  CHECK(value_of("min(u, 0.0/0.0)").real == 3);
  CHECK(!std::signbit(value_of("min(0.0, -0.0)").real));
  CHECK(std::signbit(value_of("max(-0.0, 0.0)").real));
}

TEST_CASE("subscripts are offsets") {
  CHECK(value_of("u[-1,0]").real == -7);
  CHECK(value_of("u[+1, 2] + v[0,-1]").real == 19);
  const Reach reach = formula_of("u[-1,0] + v[0,3]").reach();
  CHECK(reach.low[0] == -1);
  CHECK(reach.high[0] == 0);
  CHECK(reach.high[1] == 3);
}

TEST_CASE("numbers take the type beside them") {
  // 0.1 is rounded to f32 once, and the product in f32.
  CHECK(value_of("0.1*u").real == static_cast<double>(0.1F * 3.0F));
  CHECK(value_of("f32(0.1*w)").real == static_cast<double>(static_cast<float>(0.1 * 0.5)));
  CHECK(value_of("(2*3)*u").real == 18);
  CHECK(value_of("D*n").real == 1);
  CHECK(value_of("i + 0.5").real == 7.5);
  CHECK(value_of("u*i").real == 21);
  CHECK(value_of("(u < v) + (v < u) + 1").real == 2);
  CHECK(value_of("f64(u) + w", Type::f64).real == 3.5);
  CHECK(value_of("u + w", Type::f64).real == 3.5);
  CHECK(value_of("-inf").real == -std::numeric_limits<double>::infinity());
  CHECK(value_of("1e3").real == 1000);
  CHECK(value_of(".5").real == 0.5);
  CHECK(value_of("5.").real == 5);
}

TEST_CASE("every operation is there once, and names are not") {
  CHECK(formula_of("u*v + u*v").operations() == 2);
  CHECK(formula_of("u*0.25").canonical() == formula_of("u*D").canonical());
  CHECK(formula_of("u*v").canonical() != formula_of("v*u").canonical());
}

TEST_CASE("texts that say the same have one canonical text, and others have another") {
  const auto text = [](const std::string& formula) {
    return canonical(*parse(formula), [](const std::string& name) { return name == "D" ? "2" : name; });
  };
  CHECK(text("a + b*c") == text("( a+(b * c))\n"));
  CHECK(text("a - b - c") == text("(a - b) - c"));
  CHECK(text("D*u[-1, 0]") == text("2*u[-1,0]"));
  CHECK(text("0.25*u") == text("2.5e-1*u"));
  const std::vector<std::string> others = {
      "a - b - c", "a - (b - c)", "a - b + c",       "a + b - c",       "2*a",    "2.0*a",
      "a*2",       "-a",          "a[1,0]",          "a[1][0]",         "a[0,1]", "min(a, b)",
      "max(a, b)", "min(b, a)",   "if(a < b, a, b)", "if(a <= b, a, b)"};
  std::set<std::string> all;
  for (const std::string& other : others) all.insert(text(other));
  CHECK(all.size() == others.size());
}

TEST_CASE("faults name the byte and what would be right") {
  CHECK(fault_of("u +") == "3: here a number, a name or '(' is expected, in place of the end");
  CHECK(fault_of("") == "0: here a number, a name or '(' is expected, in place of the end");
  CHECK(fault_of("(u") == "2: here ')' is expected, in place of the end");
  CHECK(fault_of("u v") == "2: here 'v' is out of place: an operator or the end is expected");
  CHECK(fault_of("2u") == "0: a number ends where 'u' begins: a sign is missing between them");
  CHECK(fault_of("uu") == "0: there is nothing of the name 'uu'; did you mean 'u'?");
  CHECK(fault_of("u**2") == "1: there is no power: write u*u, or u*u*u");
  CHECK(fault_of("u^2") == "1: there is no power: write u*u, or u*u*u");
  CHECK(fault_of("u ? 1 : 2") == "2: '?' is no operator: write if(condition, a, b)");
  CHECK(fault_of("u = 2") == "2: '=' is no operator here: '==' compares");
  CHECK(fault_of("if(u, 1, 2)") == "3: the first value of if(...) is a condition: a comparison");
  CHECK(fault_of("if(u < v, 1)") == "0: if takes 3 values, not 2");
  CHECK(fault_of("u < v < 2") == "6: a comparison has two sides: write a < b && b < c");
  CHECK(fault_of("u && v") == "0: '&&' combines conditions, and this is a number");
  CHECK(fault_of("!u") == "0: '!' inverts a condition, and this is a number");
  CHECK(fault_of("(u < v) == 1") == "8: a condition is compared with a number");
  CHECK(fault_of("u*(1/4)").starts_with("4: two whole numbers are divided within a real expression"));
  CHECK(fault_of("u % 2") == "2: '%' is the remainder of whole numbers, and this is a real one");
  const std::string lost =
      "whole numbers are divided within a real expression, and the fraction would be lost: f32(a)/b keeps it, and "
      "i64(a/b) drops it";
  CHECK(fault_of("u*(i/2)") == "4: " + lost);
  CHECK(fault_of("i/2") == "1: " + lost);
  CHECK(fault_of("u - max(3, -(i/3) + i)") == "14: " + lost);
  CHECK(fault_of("if(i/2 < 3, u, i/n)") == "16: " + lost);
  for (const char* kept : {"u*i64(i/2)", "u*f32(i)/2", "i/2 % 2", "if(i/2 == 3, u, v)", "f32(i/2)"}) {
    INFO(kept);
    CHECK(fault_of(kept).empty());
  }
  CHECK(fault_of("u*(7 % 2)").starts_with("5: a remainder of numbers alone stands within a real expression"));
  CHECK(value_of("u*i64(7 % 2)").real == 3);
  CHECK(fault_of("i % 0", Type::i64) == "2: the divisor can be 0 here");
  CHECK(fault_of("n / i", Type::i64) == "2: the divisor can be 0 here");
  CHECK(fault_of("u + w") == "2: this is an f64, and an f32 is expected: f32(...) rounds it");
  CHECK(fault_of("u", Type::i64) == "0: a real number stands where a whole one is expected");
  CHECK(fault_of("i*i*i*i*i*i*i*i*i*i", Type::i64) == "17: a value here can be beyond those of i64");
  CHECK(fault_of("99999999999999999999").starts_with("0: the number is beyond those of i64"));
  CHECK(fault_of("1e999") == "0: the number is beyond those of f64");
  CHECK(fault_of("1e39*u") == "0: the number is beyond those of f32");
  CHECK(fault_of("exp(u)").starts_with("0: there is no function 'exp': back ends would round it"));
  CHECK(fault_of("mim(u, v)") == "0: there is no function 'mim'; did you mean 'min'?");
  CHECK(fault_of("min") == "0: 'min' is a function: write min(...)");
  CHECK(fault_of("u[i]") == "2: a whole number is expected here, as in u[-1, 0]");
  CHECK(fault_of("u \x1b[2J") == "2: here '\\x1b' is out of place: an operator or the end is expected");
}

TEST_CASE("depth and length have limits") {
  CHECK(fault_of(std::string(64, '(') + "u" + std::string(64, ')')) == "");
  CHECK(fault_of(std::string(65, '(') + "u" + std::string(65, ')')) == "64: a formula is nested at most 64 deep");
  CHECK(fault_of(std::string(10'000'000, '(')).starts_with("0: a formula has at most 65536 bytes"));
  CHECK(fault_of(std::string(60'000, '-') + "u") == "64: a formula is nested at most 64 deep");
  std::string sum = "u";
  for (int n = 0; n < 5000; ++n) sum += "+u";
  CHECK(fault_of(sum).ends_with("a formula has at most 4096 numbers, names and operations"));
}

TEST_CASE("random texts give faults at places within them, or formulas") {
  std::mt19937 random(1);
  const std::string letters[] = {"u",  "v",  "i", "D",   "w",    "(",    ")",    "[",  "]", ",",        "+",
                                 "-",  "*",  "/", "%",   "<=",   "<",    "==",   "&&", "!", "1",        "0",
                                 ".5", "2e", " ", "if(", "min(", "abs(", "f64(", "\n", "#", "\xc3\xa9", "u[0,1]"};
  int formulas = 0;
  for (int n = 0; n < 100'000; ++n) {
    std::string text;
    for (auto length = random() % 12 + 1; length > 0; --length) text += letters[random() % std::size(letters)];
    try {
      Formula formula;
      formula.add_result(check(*parse(text), scope_of(), Type::f32, formula));
      ++formulas;
    } catch (const Fault& fault) {
      if (fault.at > text.size() || fault.what.empty()) FAIL(text);
    }
  }
  CHECK(formulas > 1000);
}

}  // namespace
}  // namespace terrace::formula
