#include "kernels/formula/evaluate.hpp"

#include <algorithm>

#include "kernels/values/rounded.hpp"

namespace terrace::formula {
namespace {

template <class T>
CellValue with_reals(Operation operation, T a, T b, T c) {
  switch (operation) {
    case Operation::negate:
      return {-a, 0};
    case Operation::add:
      return {a + b, 0};
    case Operation::subtract:
      return {a - b, 0};
    case Operation::multiply:
      return {a * b, 0};
    case Operation::divide:
      return {a / b, 0};
    case Operation::equal:
      return {0, a == b};
    case Operation::not_equal:
      return {0, a != b};
    case Operation::less:
      return {0, a < b};
    case Operation::less_equal:
      return {0, a <= b};
    case Operation::minimum:
      return {values::smaller(a, b), 0};
    case Operation::maximum:
      return {values::larger(a, b), 0};
    case Operation::absolute:
      return {values::magnitude(a), 0};
    case Operation::root:
      return {values::square_root(a), 0};
    default:  // fused
      return {values::fused(a, b, c), 0};
  }
}

/// No value is beyond its type (check.cpp).
CellValue with_wholes(Operation operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case Operation::negate:
      return {0, -a};
    case Operation::add:
      return {0, a + b};
    case Operation::subtract:
      return {0, a - b};
    case Operation::multiply:
      return {0, a * b};
    case Operation::divide:
      return {0, a / b};
    case Operation::remainder:
      return {0, a % b};
    case Operation::equal:
      return {0, a == b};
    case Operation::not_equal:
      return {0, a != b};
    case Operation::less:
      return {0, a < b};
    case Operation::less_equal:
      return {0, a <= b};
    case Operation::both:
      return {0, a != 0 && b != 0};
    case Operation::either:
      return {0, a != 0 || b != 0};
    case Operation::inverse:
      return {0, a == 0};
    case Operation::minimum:
      return {0, std::min(a, b)};
    case Operation::maximum:
      return {0, std::max(a, b)};
    default:  // absolute
      return {0, std::abs(a)};
  }
}

}  // namespace

CellValue apply(const Node& node, Type type, const CellValue& a, const CellValue& b, const CellValue& c) {
  if (node.operation == Operation::choose) return a.whole != 0 ? b : c;
  if (node.operation == Operation::convert) {
    if (!is_real(node.type)) return a;
    if (is_real(type)) return {node.type == Type::f32 ? static_cast<float>(a.real) : a.real, 0};
    return {node.type == Type::f32 ? static_cast<float>(a.whole) : static_cast<double>(a.whole), 0};
  }
  if (type == Type::f32) {
    return with_reals(node.operation, static_cast<float>(a.real), static_cast<float>(b.real),
                      static_cast<float>(c.real));
  }
  if (type == Type::f64) return with_reals(node.operation, a.real, b.real, c.real);
  return with_wholes(node.operation, a.whole, b.whole);
}

}  // namespace terrace::formula
