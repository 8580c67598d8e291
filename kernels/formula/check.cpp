// From expressions to formulas: meanings, types, and the bounds of whole numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "kernels/formula/formula.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::formula {
namespace {

/// The type of an expression, or how far it is known: numbers take the type beside them.
struct Kind {
  bool is_open;  // numbers alone: of no type yet
  bool is_real;  // of an open one
  Type type;     // of one that is not open
};

constexpr Kind open_whole{true, false, Type::i64}, open_real{true, true, Type::f64};
Kind closed(Type type) { return {false, is_real(type), type}; }
bool is_condition(const Kind& kind) { return !kind.is_open && kind.type == Type::boolean; }

Operation operation_of(const std::string& sign) {
  if (sign == "+") return Operation::add;
  if (sign == "-") return Operation::subtract;
  if (sign == "*") return Operation::multiply;
  if (sign == "/") return Operation::divide;
  if (sign == "%") return Operation::remainder;
  if (sign == "==") return Operation::equal;
  if (sign == "!=") return Operation::not_equal;
  if (sign == "<" || sign == ">") return Operation::less;
  if (sign == "<=" || sign == ">=") return Operation::less_equal;
  return sign == "&&" ? Operation::both : Operation::either;
}
bool compares(Operation operation) { return operation >= Operation::equal && operation <= Operation::less_equal; }
bool combines(Operation operation) { return operation == Operation::both || operation == Operation::either; }

std::optional<Type> type_from(const std::string& name) {
  for (const Type type : {Type::i32, Type::i64, Type::f32, Type::f64}) {
    if (name == name_of(type)) return type;
  }
  return std::nullopt;
}

Bounds range_of(Type type) {
  if (type == Type::boolean) return {0, 1};
  if (type == Type::i32) return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

class Checker {
 public:
  Checker(const Scope& scope, Formula& formula) : scope_(scope), formula_(formula) {}

  int result(const Syntax& syntax, Type wanted) {
    const Kind kind = kind_of(syntax);
    if (wanted == Type::boolean && !is_condition(kind))
      throw Fault{syntax.at, "a condition is expected: a comparison"};
    return converted(syntax, kind, wanted);
  }
  Type type(const Syntax& syntax) {
    const Kind kind = kind_of(syntax);
    return is_condition(kind) ? Type::boolean : own_type(kind);
  }

 private:
  Kind kind_of(const Syntax& syntax) {
    const auto known = kinds_.find(&syntax);
    if (known != kinds_.end()) return known->second;
    const Kind kind = find_kind(syntax);
    kinds_.emplace(&syntax, kind);
    return kind;
  }
  Kind find_kind(const Syntax& syntax) {
    switch (syntax.form) {
      case Form::whole:
        return open_whole;
      case Form::real:
        return open_real;
      case Form::name:
      case Form::subscript: {
        const Meaning& meaning = meaning_of(syntax);
        if (meaning.kind == Meaning::number) return meaning.is_whole ? open_whole : open_real;
        return closed(meaning.of_node.type);
      }
      case Form::unary: {
        const Kind kind = kind_of(child(syntax, 0));
        if (syntax.word == "!") {
          if (!is_condition(kind)) throw Fault{syntax.at, "'!' inverts a condition, and this is a number"};
          return kind;
        }
        return number(kind);
      }
      case Form::binary:
        return kind_of_binary(syntax);
      case Form::call:
        break;
    }
    return kind_of_call(syntax);
  }
  Kind kind_of_binary(const Syntax& syntax) {
    const Operation operation = operation_of(syntax.word);
    const Kind a = kind_of(child(syntax, 0)), b = kind_of(child(syntax, 1));
    if (combines(operation)) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (!is_condition(side == 0 ? a : b)) {
          throw Fault{child(syntax, side).at, "'" + syntax.word + "' combines conditions, and this is a number"};
        }
      }
      return closed(Type::boolean);
    }
    if (compares(operation)) {
      if (is_condition(a) != is_condition(b)) throw Fault{syntax.at, "a condition is compared with a number"};
      if (is_condition(a) && operation != Operation::equal && operation != Operation::not_equal) {
        throw Fault{syntax.at, "conditions have no order: == and != compare them"};
      }
      return closed(Type::boolean);
    }
    const Kind both = joined(number(a), number(b));
    if (operation == Operation::remainder && both.is_real) {
      throw Fault{syntax.at, "'%' is the remainder of whole numbers, and this is a real one"};
    }
    return both;
  }
  Kind kind_of_call(const Syntax& syntax) {
    const std::string& word = syntax.word;
    if (word == "size") return closed(meaning_of(syntax).of_node.type);
    if (const auto type = type_from(word)) {
      const Kind kind = kind_of(child(syntax, 0));
      if (kind.is_real && !is_real(*type) && !kind.is_open && !scope_.is_checked) {
        throw Fault{syntax.at, "a real number is not made whole here"};
      }
      return closed(*type);
    }
    if (word == "if") {
      if (!is_condition(kind_of(child(syntax, 0)))) {
        throw Fault{child(syntax, 0).at, "the first value of if(...) is a condition: a comparison"};
      }
      const Kind a = kind_of(child(syntax, 1)), b = kind_of(child(syntax, 2));
      return is_condition(a) && is_condition(b) ? a : joined(number(a), number(b));
    }
    Kind all = number(kind_of(child(syntax, 0)));
    for (std::size_t n = 1; n < syntax.children.size(); ++n) all = joined(all, number(kind_of(child(syntax, n))));
    return word == "sqrt" || word == "fma" ? joined(all, open_real) : all;
  }

  /// A condition in arithmetic is 0 or 1.
  static Kind number(const Kind& kind) { return is_condition(kind) ? open_whole : kind; }
  Kind joined(const Kind& a, const Kind& b) const {
    if (a.is_open && b.is_open) return a.is_real ? a : b;
    if (a.is_open || b.is_open) {
      const Kind &open = a.is_open ? a : b, &other = a.is_open ? b : a;
      return open.is_real && !other.is_real ? closed(scope_.real) : other;
    }
    if (a.is_real != b.is_real) return a.is_real ? a : b;
    return a.type < b.type ? b : a;
  }
  Type type_of(const Kind& kind, Type open) const { return kind.is_open ? open : kind.type; }
  /// The type in which open numbers are computed where nothing stands beside them.
  Type own_type(const Kind& kind) const { return type_of(kind, kind.is_real ? scope_.real : Type::i64); }

  /// The expression, of a type.
  int converted(const Syntax& syntax, const Kind& kind, Type wanted) {
    const Type type = is_condition(kind) ? Type::boolean : type_of(kind, wanted);
    if (kind.is_open && kind.is_real && !is_real(wanted)) {
      throw Fault{syntax.at, real_for_whole()};
    }
    if (is_whole(type) && is_real(wanted)) refuse_lost_fraction(syntax, wanted);
    const int node = build(syntax, type);
    if (type == wanted) return node;
    if (is_real(type) && !is_real(wanted)) throw Fault{syntax.at, real_for_whole()};
    if (type == Type::f64 && wanted == Type::f32) {
      throw Fault{syntax.at, "this is an f64, and an f32 is expected: f32(...) rounds it"};
    }
    if (type == Type::i64 && wanted == Type::i32) {
      throw Fault{syntax.at, "this is an i64, and an i32 is expected: i32(...) makes it one"};
    }
    return convert(node, wanted, syntax.at);
  }
  /// Whole numbers that become a real one are no quotients of whole numbers, unless a call of i64 or i32 says so.
  void refuse_lost_fraction(const Syntax& syntax, Type wanted) {
    if (is_condition(kind_of(syntax)) || syntax.word == "%") return;
    if (syntax.form == Form::binary && syntax.word == "/") {
      const std::string real(name_of(wanted));
      throw Fault{syntax.at, "whole numbers are divided within a real expression, and the fraction would be lost: " +
                                 real + "(a)/b keeps it, and i64(a/b) drops it"};
    }
    const bool chooses = syntax.form == Form::call && syntax.word == "if";
    const bool passes = chooses || syntax.form == Form::unary || syntax.form == Form::binary ||
                        syntax.word == "min" || syntax.word == "max" || syntax.word == "abs";
    for (std::size_t n = chooses ? 1 : 0; passes && n < syntax.children.size(); ++n) {
      refuse_lost_fraction(child(syntax, n), wanted);
    }
  }
  std::string real_for_whole() const {
    const std::string what = "a real number stands where a whole one is expected";
    return scope_.is_checked ? what + ": i64(x) drops the fraction of x" : what;
  }
  int operand(const Syntax& syntax, Type wanted) { return converted(syntax, kind_of(syntax), wanted); }

  int build(const Syntax& syntax, Type type) {
    switch (syntax.form) {
      case Form::whole:
        return constant(syntax, type, static_cast<double>(syntax.whole), syntax.whole);
      case Form::real:
        return constant(syntax, type, syntax.real, 0);
      case Form::name:
      case Form::subscript:
        return build_leaf(syntax, type);
      case Form::unary:
        return apply(syntax.word == "!" ? Operation::inverse : Operation::negate, type, syntax.at,
                     {operand(child(syntax, 0), type)});
      case Form::binary:
        return build_binary(syntax, type);
      case Form::call:
        break;
    }
    return build_call(syntax, type);
  }
  int build_leaf(const Syntax& syntax, Type type) {
    const Meaning& meaning = meaning_of(syntax);
    if (meaning.kind == Meaning::number) {
      return constant(syntax, type, meaning.is_whole ? static_cast<double>(meaning.whole) : meaning.real,
                      meaning.whole);
    }
    Node node = meaning.of_node;
    node.at = syntax.at;
    for (std::size_t n = 0; meaning.looks_up && n < syntax.children.size(); ++n) {
      node.operands[n] = operand(child(syntax, n), Type::i64);
    }
    return add(node, meaning.bounds);
  }
  int build_binary(const Syntax& syntax, Type type) {
    const Operation operation = operation_of(syntax.word);
    const Syntax &left = child(syntax, 0), &right = child(syntax, 1);
    if (combines(operation)) {
      return apply(operation, type, syntax.at, {operand(left, Type::boolean), operand(right, Type::boolean)});
    }
    const Kind a = kind_of(left), b = kind_of(right);
    if (compares(operation)) {
      const Type of_both = is_condition(a) ? Type::boolean : own_type(joined(a, b));
      const int x = operand(left, of_both), y = operand(right, of_both);
      const bool swaps = syntax.word == ">" || syntax.word == ">=";
      return apply(operation, Type::boolean, syntax.at, {swaps ? y : x, swaps ? x : y});
    }
    if (operation == Operation::divide && is_real(type) && number(a).is_open && number(b).is_open &&
        !number(a).is_real && !number(b).is_real) {
      throw Fault{syntax.at,
                  "two whole numbers are divided within a real expression: write one of them with a point, "
                  "as 1.0/4"};
    }
    if (operation == Operation::remainder && is_real(type)) {
      throw Fault{syntax.at, "a remainder of numbers alone stands within a real expression: write it as i64(7 % 2)"};
    }
    return apply(operation, type, syntax.at, {operand(left, type), operand(right, type)});
  }
  int build_call(const Syntax& syntax, Type type) {
    const std::string& word = syntax.word;
    if (word == "size") return build_leaf(syntax, type);
    const Syntax& first = child(syntax, 0);
    if (type_from(word)) {
      const Kind kind = kind_of(first);
      if (kind.is_open) return operand(first, type);
      return convert(operand(first, kind.type), type, syntax.at);
    }
    if (word == "if") {
      const int condition = operand(first, Type::boolean);
      const int a = operand(child(syntax, 1), type), b = operand(child(syntax, 2), type);
      return apply(Operation::choose, type, syntax.at, {condition, a, b});
    }
    if (word == "abs") return apply(Operation::absolute, type, syntax.at, {operand(first, type)});
    if (word == "sqrt") return apply(Operation::root, type, syntax.at, {operand(first, type)});
    if (word == "fma") {
      const int a = operand(first, type), b = operand(child(syntax, 1), type);
      return apply(Operation::fused, type, syntax.at, {a, b, operand(child(syntax, 2), type)});
    }
    int all = operand(first, type);
    for (std::size_t n = 1; n < syntax.children.size(); ++n) {
      all = apply(word == "min" ? Operation::minimum : Operation::maximum, type, syntax.at,
                  {all, operand(child(syntax, n), type)});
    }
    return all;
  }

  int constant(const Syntax& syntax, Type type, double real, std::int64_t whole) {
    Node node{Operation::constant, type};
    node.at = syntax.at;
    if (!is_real(type)) {
      node.whole = whole;
      return add(node, {whole, whole});
    }
    node.real = type == Type::f32 ? static_cast<double>(static_cast<float>(real)) : real;
    if (std::isinf(node.real) && !std::isinf(real)) throw Fault{syntax.at, "the number is beyond those of f32"};
    return add(node, {0, 0});
  }
  int convert(int node, Type type, std::size_t at) {
    if (formula_[node].type == type) return node;
    return apply(Operation::convert, type, at, {node});
  }
  int apply(Operation operation, Type type, std::size_t at, std::initializer_list<int> operands) {
    Node node{operation, type};
    node.at = at;
    std::size_t count = 0;
    for (const int operand : operands) node.operands[count++] = operand;
    return add(node, is_real(type) ? Bounds{0, 0} : bounds_of(node));
  }
  int add(const Node& node, Bounds bounds) {
    if (is_whole(node.type)) {
      const Bounds range = range_of(node.type);
      if (scope_.is_checked) {
        bounds = {std::clamp(bounds.least, range.least, range.most),
                  std::clamp(bounds.most, range.least, range.most)};
      } else if (bounds.least < range.least || bounds.most > range.most) {
        throw Fault{node.at, "a value here can be beyond those of " + std::string(name_of(node.type))};
      }
    }
    if (formula_.nodes().size() >= std::size_t{4} * most_operations) {
      throw Fault{node.at, "the formulas of a stage have at most " + std::to_string(4 * most_operations) +
                               " numbers, names and operations"};
    }
    const int number = formula_.add(node);
    bounds_.insert_or_assign(number, bounds);
    return number;
  }
  Bounds bounds_of(const Node& node) const {
    const auto of = [&](std::size_t operand) {
      const int number = node.operands[operand];
      return is_real(formula_[number].type) ? range_of(node.type) : bounds_.at(number);
    };
    if (node.type == Type::boolean) return {0, 1};
    const auto least = [](Wide a, Wide b) { return a < b ? a : b; };
    const auto most = [](Wide a, Wide b) { return a < b ? b : a; };
    const Bounds a = of(node.operation == Operation::choose ? 1 : 0);
    switch (node.operation) {
      case Operation::negate:
        return {-a.most, -a.least};
      case Operation::absolute:
        return {
            a.least <= 0 && a.most >= 0 ? 0 : least(a.least < 0 ? -a.least : a.least, a.most < 0 ? -a.most : a.most),
            most(-a.least, a.most)};
      case Operation::convert:
        return a;
      case Operation::choose: {
        const Bounds b = of(2);
        return {least(a.least, b.least), most(a.most, b.most)};
      }
      default:
        break;
    }
    const Bounds b = of(1);
    switch (node.operation) {
      case Operation::add:
        return {a.least + b.least, a.most + b.most};
      case Operation::subtract:
        return {a.least - b.most, a.most - b.least};
      case Operation::multiply: {
        // Both are within 64 bits: products are within 128.
        const Wide corners[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
        Bounds all{corners[0], corners[0]};
        for (const Wide corner : corners) all = {least(all.least, corner), most(all.most, corner)};
        return all;
      }
      case Operation::divide:
      case Operation::remainder: {
        if (b.least <= 0 && b.most >= 0 && !scope_.is_checked) throw Fault{node.at, "the divisor can be 0 here"};
        const Wide size = most(a.least < 0 ? -a.least : a.least, a.most < 0 ? -a.most : a.most);
        if (node.operation == Operation::divide) return {-size, size};
        return {a.least < 0 ? -size : 0, a.most > 0 ? size : 0};
      }
      case Operation::minimum:
        return {least(a.least, b.least), least(a.most, b.most)};
      default:  // maximum
        return {most(a.least, b.least), most(a.most, b.most)};
    }
  }

  const Meaning& meaning_of(const Syntax& syntax) {
    const auto known = meanings_.find(&syntax);
    if (known != meanings_.end()) return known->second;
    Meaning meaning = scope_.meaning(syntax);
    if (meaning.kind == Meaning::unknown) {
      const std::string near = did_you_mean(syntax.word, scope_.names);
      throw Fault{syntax.at, "there is nothing of the name " + quote(syntax.word) +
                                 (near.empty() ? "; there is " + list_names(scope_.names) : near)};
    }
    return meanings_.emplace(&syntax, meaning).first->second;
  }
  static const Syntax& child(const Syntax& syntax, std::size_t number) { return *syntax.children[number]; }

  const Scope& scope_;
  Formula& formula_;
  std::unordered_map<const Syntax*, Kind> kinds_;
  std::unordered_map<const Syntax*, Meaning> meanings_;
  std::unordered_map<int, Bounds> bounds_;
};

}  // namespace

int check(const Syntax& syntax, const Scope& scope, Type wanted, Formula& formula) {
  return Checker(scope, formula).result(syntax, wanted);
}

Type type_of(const Syntax& syntax, const Scope& scope) {
  Formula none;
  return Checker(scope, none).type(syntax);
}

std::int64_t constant_of(const Syntax& syntax) {
  if (syntax.form == Form::whole) return syntax.whole;
  if (syntax.form == Form::unary && syntax.word == "-") return -constant_of(*syntax.children[0]);
  throw Fault{syntax.at, "a whole number is expected here, as in u[-1, 0]"};
}

}  // namespace terrace::formula
