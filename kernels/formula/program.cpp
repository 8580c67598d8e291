#include "kernels/formula/program.hpp"

#include <algorithm>

#include "kernels/formula/checked.hpp"
#include "kernels/values/exact.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::formula {
namespace {

/// Operations on registers: of whole numbers and conditions, of f32, of f64.
enum Code : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate,
  absolute,
  minimum,
  maximum,
  equal,
  not_equal,
  less,
  less_equal,
  both,
  either,
  inverse,
  choose,
  take,
  fit_i32,  // fails beyond i32
  to_i32,
  to_i64,
  to_f32_of_whole,
  to_f64_of_whole,
  to_f32_of_real,
  first_f32,
  first_f64 = first_f32 + 20,
};
/// Operations of reals, from first_f32 or first_f64 on.
enum RealCode : std::uint8_t {
  real_add,
  real_subtract,
  real_multiply,
  real_divide,
  real_negate,
  real_absolute,
  real_minimum,
  real_maximum,
  real_equal,
  real_not_equal,
  real_less,
  real_less_equal,
  real_root,
  real_fused
};

int real_code(Operation operation) {
  switch (operation) {
    case Operation::add:
      return real_add;
    case Operation::subtract:
      return real_subtract;
    case Operation::multiply:
      return real_multiply;
    case Operation::divide:
      return real_divide;
    case Operation::negate:
      return real_negate;
    case Operation::absolute:
      return real_absolute;
    case Operation::minimum:
      return real_minimum;
    case Operation::maximum:
      return real_maximum;
    case Operation::equal:
      return real_equal;
    case Operation::not_equal:
      return real_not_equal;
    case Operation::less:
      return real_less;
    case Operation::less_equal:
      return real_less_equal;
    case Operation::root:
      return real_root;
    default:
      return real_fused;
  }
}

Code whole_code(Operation operation) {
  switch (operation) {
    case Operation::add:
      return add;
    case Operation::subtract:
      return subtract;
    case Operation::multiply:
      return multiply;
    case Operation::divide:
      return divide;
    case Operation::remainder:
      return remainder;
    case Operation::negate:
      return negate;
    case Operation::absolute:
      return absolute;
    case Operation::minimum:
      return minimum;
    case Operation::maximum:
      return maximum;
    case Operation::equal:
      return equal;
    case Operation::not_equal:
      return not_equal;
    case Operation::less:
      return less;
    case Operation::less_equal:
      return less_equal;
    case Operation::both:
      return both;
    case Operation::either:
      return either;
    default:
      return inverse;
  }
}

Code conversion(Type from, Type to) {
  if (is_real(from)) {
    if (!is_real(to)) return to == Type::i32 ? to_i32 : to_i64;
    return to == Type::f32 ? to_f32_of_real : take;
  }
  if (to == Type::f32) return to_f32_of_whole;
  if (to == Type::f64) return to_f64_of_whole;
  return to == Type::i32 && from == Type::i64 ? fit_i32 : take;
}

template <class T>
void with_reals(int code, Register& to, double left, double right, double third) {
  const T a = static_cast<T>(left), b = static_cast<T>(right), c = static_cast<T>(third);
  switch (code) {
    case real_add:
      to.real = a + b;
      return;
    case real_subtract:
      to.real = a - b;
      return;
    case real_multiply:
      to.real = a * b;
      return;
    case real_divide:
      to.real = a / b;
      return;
    case real_negate:
      to.real = -a;
      return;
    case real_absolute:
      to.real = values::magnitude(a);
      return;
    case real_minimum:
      to.real = values::smaller(a, b);
      return;
    case real_maximum:
      to.real = values::larger(a, b);
      return;
    case real_equal:
      to.whole = a == b;
      return;
    case real_not_equal:
      to.whole = a != b;
      return;
    case real_less:
      to.whole = a < b;
      return;
    case real_less_equal:
      to.whole = a <= b;
      return;
    case real_root:
      to.real = values::square_root(a);
      return;
    default:
      to.real = values::fused(a, b, c);
  }
}

}  // namespace

Program::Program(const Formula& formula) : result_(formula.results().front()) {
  for (std::size_t n = 0; n < formula.nodes().size(); ++n) {
    const Node& node = formula.nodes()[n];
    Register word{};
    if (node.operation == Operation::constant) {
      if (is_real(node.type)) word.real = node.real;
      else word.whole = node.whole;
    }
    registers_.push_back(word);
    if (node.operation == Operation::constant) continue;
    if (node.operation == Operation::look_up) is_there_ = false;
    if (node.operand_count() == 0) {
      leaves_.push_back(static_cast<int>(n));
      continue;
    }
    const auto operand = [&](std::size_t number) { return std::max(0, node.operands[number]); };
    const Type type = formula[node.operands[0]].type;
    int code = 0;
    if (node.operation == Operation::choose) code = choose;
    else if (node.operation == Operation::convert) code = conversion(type, node.type);
    else if (is_real(type)) code = (type == Type::f32 ? first_f32 : first_f64) + real_code(node.operation);
    else code = whole_code(node.operation);
    const int to = static_cast<int>(n);
    steps_.push_back({static_cast<std::uint8_t>(code), to, operand(0), operand(1), operand(2)});
    const bool can_leave = code <= absolute;
    if (node.type == Type::i32 && can_leave) steps_.push_back({fit_i32, to, to, 0, 0});
  }
}

bool Program::run(Register* registers) const {
  bool fails = false;
  for (const Step& step : steps_) {
    Register& to = registers[step.to];
    const Register a = registers[step.a], b = registers[step.b];
    switch (step.code) {
      case add:
        fails |= !values::exact_sum(a.whole, b.whole, to.whole);
        break;
      case subtract:
        fails |= !values::exact_difference(a.whole, b.whole, to.whole);
        break;
      case multiply:
        fails |= !values::exact_product(a.whole, b.whole, to.whole);
        break;
      case divide:
        fails |= b.whole == 0 || !values::exact_quotient(a.whole, b.whole, to.whole);
        break;
      case remainder:
        fails |= b.whole == 0;
        if (b.whole != 0) to.whole = values::exact_rest(a.whole, b.whole);
        break;
      case negate:
        fails |= !values::exact_negative(a.whole, to.whole);
        break;
      case absolute:
        fails |= !values::exact_magnitude(a.whole, to.whole);
        break;
      case minimum:
        to.whole = std::min(a.whole, b.whole);
        break;
      case maximum:
        to.whole = std::max(a.whole, b.whole);
        break;
      case equal:
        to.whole = a.whole == b.whole;
        break;
      case not_equal:
        to.whole = a.whole != b.whole;
        break;
      case less:
        to.whole = a.whole < b.whole;
        break;
      case less_equal:
        to.whole = a.whole <= b.whole;
        break;
      case both:
        to.whole = a.whole & b.whole;
        break;
      case either:
        to.whole = a.whole | b.whole;
        break;
      case inverse:
        to.whole = a.whole ^ 1;
        break;
      case choose:
        to = a.whole != 0 ? b : registers[step.c];
        break;
      case take:
        to = a;
        break;
      case fit_i32:
        fails |= a.whole != static_cast<std::int32_t>(a.whole);
        to.whole = a.whole;
        break;
      case to_i32:
        fails |= !to_whole(a.real, Type::i32, to.whole);
        break;
      case to_i64:
        fails |= !to_whole(a.real, Type::i64, to.whole);
        break;
      case to_f32_of_whole:
        to.real = static_cast<float>(a.whole);
        break;
      case to_f64_of_whole:
        to.real = static_cast<double>(a.whole);
        break;
      case to_f32_of_real:
        to.real = static_cast<float>(a.real);
        break;
      default:
        if (step.code < first_f64) {
          with_reals<float>(step.code - first_f32, to, a.real, b.real, registers[step.c].real);
        } else {
          with_reals<double>(step.code - first_f64, to, a.real, b.real, registers[step.c].real);
        }
    }
  }
  return !fails;
}

}  // namespace terrace::formula
