#include "kernels/nest/affine.hpp"

#include <algorithm>

namespace terrace::nest {
namespace {

using formula::Fault;
using formula::Form;
using formula::Syntax;

class AffineReader {
 public:
  explicit AffineReader(const AffineNames& names) : names_(names) {}

  std::optional<Affine> read(const Syntax& syntax) const {
    switch (syntax.form) {
      case Form::whole:
        return number(syntax.whole);
      case Form::real:
      case Form::subscript:
        return std::nullopt;
      case Form::name:
        return read_name(syntax);
      case Form::call:
        if (const auto value = names_.value(syntax)) return number(*value);
        return std::nullopt;
      case Form::unary: {
        const auto inner = read(*syntax.children[0]);
        if (syntax.word != "-" || !inner) return std::nullopt;
        return sum(syntax, number(0), *inner, true);
      }
      case Form::binary:
        break;
    }
    const auto left = read(*syntax.children[0]), right = read(*syntax.children[1]);
    if (!left || !right) return std::nullopt;
    if (syntax.word == "+" || syntax.word == "-") return sum(syntax, *left, *right, syntax.word == "-");
    if (syntax.word == "*") {
      if (is_constant(*left)) return product(syntax, *right, left->constant);
      if (is_constant(*right)) return product(syntax, *left, right->constant);
      return std::nullopt;
    }
    const bool divides = syntax.word == "/" || syntax.word == "%";
    if (!divides || !is_constant(*left) || !is_constant(*right)) return std::nullopt;
    return number(quotient(syntax, left->constant, right->constant));
  }

 private:
  std::optional<Affine> read_name(const Syntax& syntax) const {
    const auto found = std::find(names_.loops.begin(), names_.loops.end(), syntax.word);
    if (found != names_.loops.end()) {
      Affine made = number(0);
      made.multiples[static_cast<std::size_t>(found - names_.loops.begin())] = 1;
      return made;
    }
    if (const auto value = names_.value(syntax)) return number(*value);
    return std::nullopt;
  }
  Affine number(i64 constant) const { return {constant, std::vector<i64>(names_.loops.size(), 0)}; }
  static bool is_constant(const Affine& affine) {
    return std::all_of(affine.multiples.begin(), affine.multiples.end(), [](i64 multiple) { return multiple == 0; });
  }
  [[noreturn]] static void refuse_size(const Syntax& syntax) {
    throw Fault{syntax.at, "a number here is beyond those of i64"};
  }
  static Affine sum(const Syntax& syntax, Affine a, const Affine& b, bool subtracts) {
    const auto add = [&](i64& to, i64 other) {
      if (subtracts ? __builtin_sub_overflow(to, other, &to) : __builtin_add_overflow(to, other, &to)) {
        refuse_size(syntax);
      }
    };
    add(a.constant, b.constant);
    for (std::size_t n = 0; n < a.multiples.size(); ++n) add(a.multiples[n], b.multiples[n]);
    return a;
  }
  static Affine product(const Syntax& syntax, Affine a, i64 factor) {
    const auto multiply = [&](i64& to) {
      if (__builtin_mul_overflow(to, factor, &to)) refuse_size(syntax);
    };
    multiply(a.constant);
    for (i64& multiple : a.multiples) multiply(multiple);
    return a;
  }
  static i64 quotient(const Syntax& syntax, i64 a, i64 b) {
    if (b == 0) throw Fault{syntax.at, "the divisor is 0 here"};
    if (b == -1) {
      i64 negated = 0;
      if (syntax.word == "/" && __builtin_sub_overflow(i64{0}, a, &negated)) refuse_size(syntax);
      return negated;
    }
    return syntax.word == "/" ? a / b : a % b;
  }

  const AffineNames& names_;
};

}  // namespace

std::optional<int> Affine::loop() const {
  int found = -1;
  for (std::size_t n = 0; n < multiples.size(); ++n) {
    if (multiples[n] == 0) continue;
    if (multiples[n] != 1 || found >= 0) return std::nullopt;
    found = static_cast<int>(n);
  }
  return found;
}

std::optional<Affine> affine_of(const Syntax& syntax, const AffineNames& names) {
  return AffineReader(names).read(syntax);
}

}  // namespace terrace::nest
