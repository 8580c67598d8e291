#include "kernels/formula/checked.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/values/exact.hpp"

namespace terrace::formula {
namespace {

bool fits(Type type, std::int64_t value) {
  return type != Type::i32 ||
         (value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max());
}

/// An operation of whole numbers that can leave i64, but for a division by 0. @return false if it does
bool exact(Operation operation, std::int64_t a, std::int64_t b, std::int64_t& value) {
  switch (operation) {
    case Operation::negate:
      return values::exact_negative(a, value);
    case Operation::absolute:
      return values::exact_magnitude(a, value);
    case Operation::add:
      return values::exact_sum(a, b, value);
    case Operation::subtract:
      return values::exact_difference(a, b, value);
    case Operation::multiply:
      return values::exact_product(a, b, value);
    case Operation::divide:
      return values::exact_quotient(a, b, value);
    default:  // remainder
      value = values::exact_rest(a, b);
      return true;
  }
}

bool can_leave(Operation operation) {
  switch (operation) {
    case Operation::negate:
    case Operation::absolute:
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::remainder:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool to_whole(double real, Type type, std::int64_t& whole) {
  // Both ends are powers of two, which f64 holds.
  const double end = type == Type::i32 ? 0x1p31 : 0x1p63;
  const double cut = std::trunc(real);
  if (!(cut >= -end && cut < end)) return false;
  whole = static_cast<std::int64_t>(cut);
  return true;
}

CheckedCells::CheckedCells(const Formula& formula)
    : formula_(&formula), values_(formula.nodes().size()), known_(formula.nodes().size(), 0) {}

bool CheckedCells::apply_checked(const Node& node, int number, const CellValue* operands, CellValue& value) {
  const Type type = (*formula_)[node.operands[0]].type;
  if (node.operation == Operation::convert && !is_real(node.type)) {
    value.real = 0;
    if (is_real(type)) {
      return to_whole(operands[0].real, node.type, value.whole) || fail(Failure::no_whole, number, operands);
    }
    value.whole = operands[0].whole;
  } else if (is_real(type) || !can_leave(node.operation)) {
    value = apply(node, type, operands[0], operands[1], operands[2]);
  } else {
    const bool divides = node.operation == Operation::divide || node.operation == Operation::remainder;
    if (divides && operands[1].whole == 0) return fail(Failure::zero_divisor, number, operands);
    value.real = 0;
    if (!exact(node.operation, operands[0].whole, operands[1].whole, value.whole)) {
      return fail(Failure::overflow, number, operands);
    }
  }
  return is_real(node.type) || fits(node.type, value.whole) || fail(Failure::overflow, number, operands);
}

bool CheckedCells::fail(Failure::Kind kind, int number, const CellValue* operands) {
  failure_.kind = kind;
  failure_.node = number;
  std::copy_n(operands, 3, failure_.operands);
  return false;
}

void CheckedCells::forget() {
  std::fill(known_.begin(), known_.end(), 0);
  cell_ = 1;
}

}  // namespace terrace::formula
