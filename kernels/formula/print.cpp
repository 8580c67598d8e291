#include "kernels/formula/print.hpp"

#include <bit>
#include <cstdint>

namespace terrace::formula {
namespace {

std::string constant_of(const Node& node) {
  if (node.type == Type::f32) {
    return "values::float_of(" + std::to_string(std::bit_cast<std::uint32_t>(static_cast<float>(node.real))) + "u)";
  }
  if (node.type == Type::f64) {
    return "values::double_of(" + std::to_string(std::bit_cast<std::uint64_t>(node.real)) + "ull)";
  }
  if (node.type == Type::boolean) return node.whole != 0 ? "true" : "false";
  // The least number has no literal of its own.
  if (node.whole < 0) return "(-" + std::to_string(-(node.whole + 1)) + "ll - 1)";
  return std::to_string(node.whole) + "ll";
}

/// The function of an operation on reals, or the sign between whole numbers.
struct InSource {
  const char* function;
  const char* sign;
};
InSource in_source(Operation operation) {
  switch (operation) {
    case Operation::add:
      return {"plus", "+"};
    case Operation::subtract:
      return {"minus", "-"};
    case Operation::multiply:
      return {"times", "*"};
    case Operation::divide:
      return {"divided", "/"};
    case Operation::remainder:
      return {"", "%"};
    case Operation::equal:
      return {"", "=="};
    case Operation::not_equal:
      return {"", "!="};
    case Operation::less:
      return {"", "<"};
    case Operation::less_equal:
      return {"", "<="};
    case Operation::both:
      return {"", "&"};
    case Operation::either:
      return {"", "|"};
    case Operation::minimum:
      return {"smaller", ""};
    case Operation::maximum:
      return {"larger", ""};
    case Operation::root:
      return {"square_root", ""};
    case Operation::absolute:
      return {"magnitude", ""};
    case Operation::fused:
      return {"fused", ""};
    default:
      return {"", ""};
  }
}

std::string operation_of(const Formula& formula, const Node& node) {
  const auto of = [&](std::size_t operand) { return name_in_source(node.operands[operand]); };
  const Type type = formula[node.operands[0]].type;
  switch (node.operation) {
    case Operation::negate:
      return "-" + of(0);
    case Operation::inverse:
      return "!" + of(0);
    case Operation::choose:
      return of(0) + " ? " + of(1) + " : " + of(2);
    case Operation::convert:
      return "static_cast<" + type_in_source(node.type) + ">(" + of(0) + ")";
    case Operation::absolute:
      if (!is_real(type)) return of(0) + " < 0 ? -" + of(0) + " : " + of(0);
      break;
    default:
      break;
  }
  const InSource words = in_source(node.operation);
  const bool has_sign = *words.sign != '\0' && (*words.function == '\0' || !is_real(type));
  if (has_sign) return of(0) + " " + words.sign + " " + of(1);
  std::string text = "values::" + std::string(words.function) + "(" + of(0);
  for (std::size_t n = 1; n < static_cast<std::size_t>(node.operand_count()); ++n) text += ", " + of(n);
  return text + ")";
}

}  // namespace

std::string type_in_source(Type type) {
  constexpr const char* names[] = {"bool", "int", "long long", "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

std::string name_in_source(int node) { return "v" + std::to_string(node); }

std::string expression(const Formula& formula, const Node& node) {
  return node.operation == Operation::constant ? constant_of(node) : operation_of(formula, node);
}

std::string statements(const Formula& formula, const std::vector<int>& nodes,
                       const std::function<std::string(const Node&)>& leaf, const std::string& indent) {
  std::string text;
  for (const int number : nodes) {
    const Node& node = formula[number];
    const bool is_leaf = node.operand_count() == 0 || node.operation == Operation::look_up;
    const bool is_given = is_leaf && node.operation != Operation::constant;
    const std::string value = is_given ? leaf(node) : expression(formula, node);
    text += indent + "const " + type_in_source(node.type) + " " + name_in_source(number) + " = " + value + ";\n";
  }
  return text;
}

}  // namespace terrace::formula
