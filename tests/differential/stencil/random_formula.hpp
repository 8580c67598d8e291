// Formulas made up at random, as texts with the names of formulas.hpp. A few have faults, as whole numbers that could
// be beyond their type: callers make others.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "tests/differential/stencil/formulas.hpp"

namespace terrace::stencil::testing {

/// The things that formulas may name, and how deep they are.
struct FormulaLimits {
  int rank, radius, fields, arrays, series, depth;
};

class RandomFormula {
 public:
  RandomFormula(std::mt19937& random, const FormulaLimits& limits) : random_(random), limits_(limits) {}

  /// A formula of a type, most of them with values that stay near 0.
  std::string real(formula::Type type) {
    const std::string text = real(type, limits_.depth);
    return chance(70) ? "max(-2.0, min(2.0, " + text + "))" : text;
  }

 private:
  using Type = formula::Type;

  int below(int end) { return static_cast<int>(std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_)); }
  bool chance(int percent) { return below(100) < percent; }
  std::string number(int end) { return std::to_string(below(end)); }
  template <std::size_t count>
  std::string one_of(const char* const (&words)[count]) {
    return words[below(count)];
  }
  static std::string call(const std::string& name, const std::string& a) { return name + "(" + a + ")"; }
  static std::string call(const std::string& name, const std::string& a, const std::string& b) {
    return name + "(" + a + ", " + b + ")";
  }

  std::string real(Type type, int depth) {
    if (depth == 0 || chance(8)) return real_leaf(type);
    const auto a = [&] { return real(type, depth - 1); };
    const std::string own = std::string(name_of(type));
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return "(" + a() + one_of({" + ", " - ", "*"}) + a() + ")";
      case 5:
        return "(" + a() + " + " + constant() + "*" + read() + ")";
      case 6:
        return "(" + a() + "/" + a() + ")";
      case 7:
        return call(one_of({"min", "max"}), a(), a());
      case 8:
        return "if(" + condition(depth - 1) + ", " + a() + ", " + a() + ")";
      case 9:
        return "fma(" + a() + ", " + a() + ", " + a() + ")";
      case 10:
        return call(one_of({"abs", "sqrt", "-", "+"}), a());
      case 11:
        return call(own, whole(depth - 1));
      case 12:
        return "(" + whole(depth - 1) + "*" + read() + ")";
      case 13:
        return "((" + condition(depth - 1) + ")" + one_of({" + ", " - ", "*"}) + a() + ")";
      case 14:  // through the other type
        return own + "(" + real(Type::f64, depth - 1) + ")";
      default:
        return own + "(f32(" + real(Type::f64, depth - 1) + "))";
    }
  }
  std::string real_leaf(Type type) {
    if (limits_.series > 0 && chance(15)) return "s" + number(limits_.series);
    if (chance(15)) return constant();
    if (chance(10)) return call(std::string(name_of(type)), whole(0));
    return read();
  }
  std::string constant() {
    return one_of({"0.0", "0.5", "0.1", "1.0", "-1.0", "0.25", "-0.0", "3.0", "1e-3", "1e-42", "inf"});
  }
  std::string read() {
    if (limits_.arrays > 0 && chance(25)) return "a" + number(limits_.arrays);
    const std::string field = "f" + number(limits_.fields);
    if (chance(20)) return field;
    std::string offsets;
    const bool is_far = chance(20);
    for (int axis = 0; axis < limits_.rank; ++axis) {
      const int most = is_far ? limits_.radius : chance(50) ? 0 : 1;
      offsets += (axis == 0 ? "[" : ", ") + std::to_string(below(2 * most + 1) - most);
    }
    return field + offsets + "]";
  }

  static std::string index(int axis) { return std::string(1, "ijk"[axis]); }
  static std::string extent(int axis) { return "size(" + std::to_string(axis) + ")"; }

  std::string whole(int depth) {
    if (depth == 0 || chance(20)) {
      switch (below(4)) {
        case 0:
          return index(below(limits_.rank));
        case 1:
          return chance(50) ? extent(below(limits_.rank)) : "t";
        default:
          return chance(50) ? index(limits_.rank - 1) : one_of({"1", "2", "-3", "7"});
      }
    }
    const auto a = [&] { return whole(depth - 1); };
    switch (below(9)) {
      case 0:
      case 1:
        return "(" + a() + one_of({" + ", " - ", "*"}) + a() + ")";
      case 2:
        return "(" + a() + one_of({"/", "%"}) + one_of({"2", "3", "-5", "1000"}) + ")";
      case 3: {
        const int axis = below(limits_.rank);
        return "(" + a() + one_of({"/", "%"}) + "(" + extent(axis) + " - " + index(axis) + "))";
      }
      case 4:
        return call(one_of({"min", "max"}), a(), a());
      case 5:
        return "if(" + condition(depth - 1) + ", " + a() + ", " + a() + ")";
      case 6:
        return call(one_of({"abs", "-", "i64"}), a());
      case 7:
        return call("i32", a());
      default:
        return "((" + condition(depth - 1) + ") + " + a() + ")";
    }
  }

  std::string condition(int depth) {
    const int left = depth > 0 ? depth - 1 : 0;
    if (depth > 0 && chance(30)) {
      if (chance(25)) return "!(" + condition(left) + ")";
      return "((" + condition(left) + ")" + one_of({" && ", " || ", " == ", " != "}) + "(" + condition(left) + "))";
    }
    const std::string sign = one_of({" < ", " <= ", " > ", " >= ", " == ", " != "});
    if (chance(40)) return whole(left) + sign + whole(left);
    const Type type = chance(50) ? Type::f32 : Type::f64;
    return real(type, left) + sign + real(type, left);
  }

  std::mt19937& random_;
  FormulaLimits limits_;
};

}  // namespace terrace::stencil::testing
