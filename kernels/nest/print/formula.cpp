#include "kernels/nest/print/formula.hpp"

#include "kernels/formula/print.hpp"

namespace terrace::nest {

using formula::Bounds;
using formula::Formula;
using formula::Node;
using formula::Operation;
using formula::Type;

namespace {

bool is_within(const Bounds& bounds, const Bounds& outer) {
  return bounds.least >= outer.least && bounds.most <= outer.most;
}

/// The function of values/exact.hpp that makes an operation of i64; null if the operation cannot leave i64.
const char* exact_name(Operation operation) {
  switch (operation) {
    case Operation::negate:
      return "values::exact_negative";
    case Operation::absolute:
      return "values::exact_magnitude";
    case Operation::add:
      return "values::exact_sum";
    case Operation::subtract:
      return "values::exact_difference";
    case Operation::multiply:
      return "values::exact_product";
    default:
      return nullptr;
  }
}

std::string name(int node) { return formula::name_in_source(node); }

}  // namespace

std::string type_in_source(ElementType type) {
  constexpr const char* names[] = {"unsigned char", "signed char",        "unsigned short", "short", "unsigned int",
                                   "int",           "unsigned long long", "long long",      "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

FormulaInSource::FormulaInSource(const Formula& formula, const std::vector<Bounds>& bounds, ElementType type)
    : formula_(formula), bounds_(bounds), type_(type), fails_(formula.nodes().size(), false) {
  for (std::size_t n = 0; n < formula.nodes().size(); ++n) {
    if (formula::is_whole(formula.nodes()[n].type)) narrow_ &= is_within(bounds[n], bounds_of(ElementType::i32));
  }
}

std::string FormulaInSource::type(int node) const {
  const Type of = formula_[node].type;
  if (formula::is_whole(of)) return narrow_ ? "int" : "long long";
  return formula::type_in_source(of);
}

std::string FormulaInSource::result() const { return name(formula_.results().front()); }
std::string FormulaInSource::result_type() const { return type(formula_.results().front()); }

bool FormulaInSource::is_whole_within(int node, const Bounds& bounds) const {
  return is_within(bounds_[static_cast<std::size_t>(node)], bounds);
}

bool FormulaInSource::checks_type() const {
  return !is_floating(type_) && !is_whole_within(formula_.results().front(), bounds_of(type_));
}

bool FormulaInSource::fails() const {
  return fails_[static_cast<std::size_t>(formula_.results().front())] || checks_type();
}

std::string FormulaInSource::error_of(int node) const {
  return fails_[static_cast<std::size_t>(node)] ? "e" + std::to_string(node) : "";
}

std::string FormulaInSource::code() const {
  const std::string error = error_of(formula_.results().front());
  if (!checks_type()) return error.empty() ? "0" : error;
  const Bounds bounds = bounds_of(type_);
  std::string beyond;
  if (!is_whole_within(formula_.results().front(), bounds))
    beyond = "static_cast<i64>(" + result() + ") != static_cast<i64>(static_cast<" + nest::type_in_source(type_) +
             ">(" + result() + "))";
  // Elements of u64 are whole numbers of i64 that are not negative.
  if (type_ == ElementType::u64) beyond = result() + " < 0";
  return (error.empty() ? "" : error + " != 0 ? " + error + " : ") + beyond + " ? beyond_type_code : 0";
}

void FormulaInSource::add_reason(int number, const std::string& kind) {
  const Node& node = formula_[number];
  reasons_ += "        case " + std::to_string(number + 1) + ":\n          why->kind = NestFailure::" + kind +
              ";\n          why->node = " + std::to_string(number) + ";\n";
  for (std::size_t n = 0; n < static_cast<std::size_t>(node.operand_count()); ++n) {
    const bool is_real = formula::is_real(formula_[node.operands[n]].type);
    reasons_ += "          why->operands[" + std::to_string(n) + (is_real ? "].real = " : "].whole = ") +
                name(node.operands[n]) + ";\n";
  }
  reasons_ += "          break;\n";
}

/// The statements of a quotient or a remainder, with x<node> if it can fail.
std::string FormulaInSource::division(int number, const Node& node, bool can_leave, bool& fails) {
  const std::string own = name(number), failed = "x" + std::to_string(number), declared = type(number) + " " + own;
  const auto of = [&](std::size_t n) { return name(node.operands[n]); };
  const Node& divisor = formula_[node.operands[1]];
  if (divisor.operation == Operation::constant && divisor.whole != 0 && divisor.whole != -1)
    return "    const " + declared + " = " + formula::expression(formula_, node) + ";\n";
  const Bounds bounds = bounds_[static_cast<std::size_t>(node.operands[1])];
  const bool can_be_zero = bounds.least <= 0 && bounds.most >= 0;
  fails = can_be_zero || can_leave;
  std::string text = "    i64 w" + own + ";\n    const bool l" + own + " = ";
  if (node.operation == Operation::divide)
    text += "!values::exact_quotient(" + of(0) + ", " + of(1) + ", w" + own + ")";
  else text += "false;\n    w" + own + " = values::exact_rest<i64>(" + of(0) + ", " + of(1) + ")";
  text += ";\n    const " + declared + " = static_cast<" + type(number) + ">(w" + own + ");\n";
  if (!fails) return text;
  std::string beyond = "l" + own;
  if (node.type == Type::i32 && can_leave) beyond += " || w" + own + " != static_cast<int>(w" + own + ")";
  // One case for both reasons.
  add_reason(number, "overflow");
  reasons_.insert(reasons_.rfind("          break;\n"),
                  "          if (" + of(1) + " == 0) why->kind = NestFailure::zero_divisor;\n");
  return text + "    const bool " + failed + " = " + of(1) + " == 0 || " + beyond + ";\n";
}

/// The statements of an operation of whole numbers, or a conversion to one, with x<node>, true if it fails.
std::string FormulaInSource::whole_operation(int number, const Node& node, bool& fails) {
  const std::string own = name(number), failed = "x" + std::to_string(number), declared = type(number) + " " + own;
  const auto of = [&](std::size_t n) { return name(node.operands[n]); };
  const Bounds whole = node.type == Type::i32 ? bounds_of(ElementType::i32) : bounds_of(ElementType::i64);
  if (node.operation == Operation::convert && formula::is_real(formula_[node.operands[0]].type)) {
    fails = true;
    add_reason(number, "no_whole");
    return "    i64 w" + own + ";\n    const bool " + failed + " = !to_whole(" + of(0) + ", " +
           (node.type == Type::i32 ? "2147483648.0" : "9223372036854775808.0") + ", w" + own + ");\n    const " +
           declared + " = static_cast<" + type(number) + ">(w" + own + ");\n";
  }
  const bool divides = node.operation == Operation::divide || node.operation == Operation::remainder;
  const bool can_leave = !is_whole_within(number, whole),
             can_leave_i64 = !is_whole_within(number, bounds_of(ElementType::i64));
  if (divides) return division(number, node, can_leave, fails);
  if (!can_leave) return "    const " + declared + " = " + formula::expression(formula_, node) + ";\n";
  fails = true;
  add_reason(number, "overflow");
  std::string text, beyond = "false";
  if (can_leave_i64 && exact_name(node.operation) != nullptr) {
    text = "    i64 " + own + ";\n    const bool l" + own + " = !" + exact_name(node.operation) + "(" + of(0);
    if (node.operand_count() > 1) text += ", " + of(1);
    text += ", " + own + ");\n";
    beyond = "l" + own;
  } else {
    text = "    const " + declared + " = " + formula::expression(formula_, node) + ";\n";
  }
  if (node.type == Type::i32) beyond += " || " + own + " != static_cast<int>(" + own + ")";
  return text + "    const bool " + failed + " = " + beyond + ";\n";
}

/// The failure of a node: of its operands in order, as far as they are needed, else its own; empty: it cannot fail.
std::string FormulaInSource::failure_of(int number, const Node& node, bool fails) const {
  const auto error = [&](std::size_t n) { return error_of(node.operands[n]); };
  const auto first_of = [](const std::string& first, const std::string& other) {
    if (first.empty() || other.empty()) return first.empty() ? other : first;
    return "(" + first + " != 0 ? " + first + " : " + other + ")";
  };
  const auto chosen = [&](const std::string& if_true, const std::string& if_false) -> std::string {
    if (if_true.empty() && if_false.empty()) return "";
    return "(" + name(node.operands[0]) + " ? " + (if_true.empty() ? "0" : if_true) + " : " +
           (if_false.empty() ? "0" : if_false) + ")";
  };
  std::string rest = fails ? "(x" + std::to_string(number) + " ? " + std::to_string(number + 1) + " : 0)" : "";
  if (node.operation == Operation::choose) {
    rest = chosen(error(1), error(2));
  } else if (node.operation == Operation::both) {
    rest = chosen(error(1), "");
  } else if (node.operation == Operation::either) {
    rest = chosen("", error(1));
  } else {
    for (auto n = static_cast<std::size_t>(node.operand_count()); n-- > 1;) rest = first_of(error(n), rest);
  }
  return node.operand_count() > 0 ? first_of(error(0), rest) : rest;
}

std::string FormulaInSource::statements(const std::function<LeafInSource(int, const Node&)>& leaf) {
  reasons_.clear();
  std::string text;
  for (std::size_t at = 0; at < formula_.nodes().size(); ++at) {
    const auto number = static_cast<int>(at);
    const Node& node = formula_.nodes()[at];
    const std::string own = name(number), code = std::to_string(number + 1);
    bool fails = false;
    if (node.operation == Operation::constant) {
      text += "    const " + type(number) + " " + own + " = " + formula::expression(formula_, node) + ";\n";
    } else if (node.operand_count() == 0 || node.operation == Operation::look_up) {
      const LeafInSource made = leaf(number, node);
      text += made.statements;
      fails = made.fails;
      if (fails && node.operation == Operation::look_up) add_reason(number, "no_element");
      else if (fails) reasons_ += "        case " + code + ": {\n" + made.why + "        }\n";
    } else if (formula::is_whole(node.type)) {
      text += whole_operation(number, node, fails);
    } else {
      text += "    const " + type(number) + " " + own + " = " + formula::expression(formula_, node) + ";\n";
    }
    const std::string expression = failure_of(number, node, fails);
    if (expression.empty()) continue;
    fails_[at] = true;
    text += "    const int e" + std::to_string(number) + " = " + expression + ";\n";
  }
  return text;
}

}  // namespace terrace::nest
