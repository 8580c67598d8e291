#include "kernels/nest/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "pipeline/base/printable.hpp"

namespace terrace::nest {

using formula::CellValue;
using formula::Formula;
using formula::Node;
using formula::Operation;

CellValue load(ElementType type, const void* data, i64 index) {
  return dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    const T element = static_cast<const T*>(data)[index];
    if constexpr (std::is_floating_point_v<T>) return CellValue{static_cast<double>(element), 0};
    else return CellValue{0, static_cast<i64>(element)};
  });
}

bool fits(ElementType type, const CellValue& value) {
  return dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) return true;
    else return std::in_range<T>(value.whole);
  });
}

bool store(ElementType type, void* data, i64 index, const CellValue& value) {
  if (!fits(type, value)) return false;
  dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) static_cast<T*>(data)[index] = static_cast<T>(value.real);
    else static_cast<T*>(data)[index] = static_cast<T>(value.whole);
  });
  return true;
}

Elements::Elements(const Nest& nest, const InputView* views) : nest_(nest), views_(views) {
  static const Formula none;
  for (const Array& array : nest.arrays) outsides_.emplace_back(array.outside ? *array.outside : none);
}

CellValue Elements::input(const Access& access, const Point& at) const {
  const InputView& view = views_[access.array];
  i64 index = 0;
  for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
    const i64 loop = access.loops[axis] < 0 ? 0 : at[static_cast<std::size_t>(access.loops[axis])];
    index += (loop + access.offset[axis] - view.begin[axis]) * view.stride[axis];
  }
  return load(nest_.inputs[static_cast<std::size_t>(access.array)].type, view.data, index);
}

bool Elements::look_up(int input, const CellValue* subscripts, CellValue& value) const {
  const Input& of = nest_.inputs[static_cast<std::size_t>(input)];
  const InputView& view = views_[input];
  i64 index = 0;
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
    if (subscripts[axis].whole < 0 || subscripts[axis].whole >= of.shape[axis]) return false;
    index += (subscripts[axis].whole - view.begin[axis]) * view.stride[axis];
  }
  value = load(of.type, view.data, index);
  return true;
}

bool Elements::is_in_from(const Array& array, const Point& at) const {
  if (array.from < 0) return false;
  for (std::size_t axis = array.from_slices ? 1 : 0; axis < array.box.size(); ++axis) {
    if (!array.box[axis].holds(at[array.first_loop + axis])) return false;
  }
  return true;
}

bool Elements::first(int number, const Point& at, CellValue& value) {
  const Array& array = nest_.arrays[static_cast<std::size_t>(number)];
  if (is_in_from(array, at)) {
    const InputView& view = views_[array.from];
    const std::size_t skipped = array.from_slices ? 1 : 0;
    i64 index = 0;
    for (std::size_t axis = skipped; axis < array.box.size(); ++axis) {
      const std::size_t own = axis - skipped;
      index += (at[array.first_loop + axis] - view.begin[own]) * view.stride[own];
    }
    const ElementType type = nest_.inputs[static_cast<std::size_t>(array.from)].type;
    value = load(type, view.data, index);
    // In an array of real numbers it is rounded to its type.
    const bool is_whole = !is_floating(type);
    if (array.type == ElementType::f32) {
      value = {is_whole ? static_cast<float>(value.whole) : static_cast<float>(value.real), 0};
    } else if (array.type == ElementType::f64 && is_whole) {
      value = {static_cast<double>(value.whole), 0};
    }
    return true;
  }
  if (!array.outside) {
    value = {};
    return true;
  }
  formula::CheckedCells& cells = outsides_[static_cast<std::size_t>(number)];
  struct Leaf {
    const Elements& elements;
    const Point& at;
    CellValue operator()(const Node& node) const {
      if (node.operation == Operation::index) return {0, at[static_cast<std::size_t>(node.number)]};
      return elements.input(elements.nest_.accesses[static_cast<std::size_t>(node.number)], at);
    }
    bool operator()(const Node& node, const CellValue* subscripts, CellValue& found) const {
      return elements.look_up(node.number, subscripts, found);
    }
  };
  if (!cells.compute(0, Leaf{*this, at}, value)) {
    note(cells.failure(), *array.outside, number, at);
    return false;
  }
  if (fits(array.type, value)) return true;
  note_beyond(array.type, value, at);
  failure_.outside = number;
  return false;
}

void Elements::note(const formula::Failure& failure, const Formula& formula, int outside, const Point& at) {
  failure_ = {};
  failure_.kind = static_cast<NestFailure::Kind>(failure.kind);
  failure_.statement = -1;
  failure_.outside = outside;
  failure_.node = failure.node;
  std::copy(at.begin(), at.end(), failure_.at);
  const Node& node = formula[failure.node];
  for (std::size_t n = 0; n < 3; ++n) {
    if (node.operands[n] < 0) continue;
    if (formula::is_real(formula[node.operands[n]].type)) failure_.operands[n].real = failure.operands[n].real;
    else failure_.operands[n].whole = failure.operands[n].whole;
  }
}

void Elements::note_beyond(ElementType type, const CellValue& value, const Point& at) {
  failure_ = {};
  failure_.kind = NestFailure::beyond_type;
  failure_.statement = failure_.outside = failure_.node = -1;
  std::copy(at.begin(), at.end(), failure_.at);
  failure_.operands[0] = word_of(type, value);
}

void offer(BestElement& best, ElementType type, int direction, const Point& at, const Word& value) {
  const auto is_less = [&](const Word& a, const Word& b) {
    return is_floating(type) ? a.real < b.real : a.whole < b.whole;
  };
  if (is_floating(type) && value.real != value.real) return;  // NaN is no best element
  if (best.is_found != 0) {
    const bool is_better = direction > 0 ? is_less(best.value, value) : is_less(value, best.value);
    const bool is_worse = direction > 0 ? is_less(value, best.value) : is_less(best.value, value);
    if (is_worse) return;
    if (!is_better && !std::lexicographical_compare(at.begin(), at.end(), best.at, best.at + most_coordinates))
      return;
  }
  best.value = value;
  std::copy(at.begin(), at.end(), best.at);
  best.is_found = 1;
}

namespace {

std::string operand_in_words(const Formula& formula, const NestFailure& failure, std::size_t n) {
  const Node& node = formula[failure.node];
  if (!formula::is_real(formula[node.operands[n]].type)) return std::to_string(failure.operands[n].whole);
  std::ostringstream text;
  text.precision(17);
  text << failure.operands[n].real;
  return text.str();
}

std::string operation_in_words(const Formula& formula, const NestFailure& failure) {
  const Node& node = formula[failure.node];
  const auto of = [&](std::size_t n) { return operand_in_words(formula, failure, n); };
  switch (node.operation) {
    case Operation::add:
      return of(0) + " + " + of(1);
    case Operation::subtract:
      return of(0) + " - " + of(1);
    case Operation::multiply:
      return of(0) + " * " + of(1);
    case Operation::divide:
      return of(0) + " / " + of(1);
    case Operation::remainder:
      return of(0) + " % " + of(1);
    case Operation::negate:
      return "-(" + of(0) + ")";
    case Operation::absolute:
      return "abs(" + of(0) + ")";
    case Operation::convert:
      return std::string(formula::name_of(node.type)) + "(" + of(0) + ")";
    default: {
      std::string text;
      for (int n = 0; n < node.operand_count(); ++n) text += "[" + of(static_cast<std::size_t>(n)) + "]";
      return text;
    }
  }
}

std::string reason_in_words(NestFailure::Kind kind, formula::Type type) {
  switch (kind) {
    case NestFailure::overflow:
      return " is beyond " + std::string(formula::name_of(type));
    case NestFailure::zero_divisor:
      return " divides by 0";
    case NestFailure::no_whole:
      return " is no whole number of that type";
    default:
      return " is outside the input";
  }
}

}  // namespace

std::string in_words(const Nest& nest, const NestFailure& failure) {
  Point at{};
  std::copy_n(failure.at, most_coordinates, at.begin());
  const auto number = static_cast<std::size_t>(failure.outside >= 0 ? failure.outside : failure.statement);
  std::string text;
  const Array* array = nullptr;
  const Formula* formula = nullptr;
  if (failure.outside >= 0) {
    array = &nest.arrays[number];
    formula = &*array->outside;
    text = "the `outside` of " + array->name;
    for (std::size_t loop = array->first_loop; loop < nest.depth(); ++loop)
      text += "[" + std::to_string(at[loop]) + "]";
  } else {
    const Statement& statement = nest.statements[number];
    array = &nest.arrays[static_cast<std::size_t>(statement.array)];
    formula = &statement.value;
    text = nest.element_in_words(statement, at);
    for (std::size_t loop = 0; loop < nest.depth(); ++loop) {
      text += (loop == 0 ? " at " : ", ") + nest.loops[loop].name + " = " + std::to_string(at[loop]);
    }
    text += ", by " + quote(statement.text);
  }
  text += ": ";
  if (failure.kind != NestFailure::beyond_type) {
    return text + operation_in_words(*formula, failure) +
           reason_in_words(failure.kind, (*formula)[failure.node].type);
  }
  return text + std::to_string(failure.operands[0].whole) + " is beyond " +
         std::string(terrace::name_of(array->type)) + ", the array's type";
}

}  // namespace terrace::nest
