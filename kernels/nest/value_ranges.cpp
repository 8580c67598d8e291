#include "kernels/nest/value_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace terrace::nest {
namespace {

using formula::Bounds;
using formula::Formula;
using formula::Node;
using formula::Operation;
using formula::Wide;

constexpr i64 least_i64 = std::numeric_limits<i64>::min(), most_i64 = std::numeric_limits<i64>::max();
constexpr Bounds any{least_i64, most_i64};

Wide least(Wide a, Wide b) { return a < b ? a : b; }
Wide most(Wide a, Wide b) { return a < b ? b : a; }
/// The largest absolute value.
Wide size_of(const Bounds& bounds) { return most(-bounds.least, bounds.most); }
Bounds hull(const Bounds& a, const Bounds& b) { return {least(a.least, b.least), most(a.most, b.most)}; }
Bounds product(const Bounds& a, const Bounds& b) {
  const Wide all[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
  Bounds bounds{all[0], all[0]};
  for (const Wide one : all) bounds = hull(bounds, {one, one});
  return bounds;
}

/// Bounds of the whole numbers and conditions of a formula; `any` where they are not followed.
class ValueRanges {
 public:
  ValueRanges(const Formula& formula, const Ranges& box, const std::vector<Input>& inputs,
              const std::vector<Access>& accesses, const std::vector<Bounds>& arrays)
      : formula_(formula),
        box_(box),
        inputs_(inputs),
        accesses_(accesses),
        arrays_(arrays),
        seen_(formula.nodes().size(), false) {
    for (const Node& node : formula.nodes()) {
      unchecked_.push_back(bounds_of(node));
      bounds_.push_back(clamped(unchecked_.back(), node.type));
    }
  }

  /// Bounds of each node, before a check that it is within its type.
  const std::vector<Bounds>& unchecked() const { return unchecked_; }

  void visit(int number, const std::function<void(const Node&)>& call) {
    const auto at = static_cast<std::size_t>(number);
    if (seen_[at]) return;
    seen_[at] = true;
    const Node& node = formula_.nodes()[at];
    call(node);
    const int count = node.operand_count();
    for (int n = 0; n < count; ++n) {
      if (!excludes(node, n)) visit(node.operands[static_cast<std::size_t>(n)], call);
    }
  }

 private:
  static Bounds clamped(const Bounds& bounds, formula::Type type) {
    const Bounds of = type == formula::Type::i32 ? nest::bounds_of(ElementType::i32) : any;
    return {least(most(bounds.least, of.least), of.most), most(least(bounds.most, of.most), of.least)};
  }
  Bounds of_input(int number) const {
    const Input& input = inputs_[static_cast<std::size_t>(number)];
    return {input.least, input.most};
  }
  Bounds of(const Node& node, std::size_t operand) const {
    return bounds_[static_cast<std::size_t>(node.operands[operand])];
  }
  /// True if an operand is computed nowhere in the box.
  bool excludes(const Node& node, int operand) const {
    if (operand == 0) return false;
    const bool chooses = node.operation == Operation::choose;
    if (!chooses && node.operation != Operation::both && node.operation != Operation::either) return false;
    const Bounds condition = of(node, 0);
    if (condition.least != condition.most) return false;
    const bool holds = condition.least != 0;
    if (chooses) return holds == (operand == 2);
    return holds == (node.operation == Operation::either);
  }
  Bounds bounds_of(const Node& node) const {
    if (formula::is_real(node.type)) return any;
    switch (node.operation) {
      case Operation::constant:
        return {node.whole, node.whole};
      case Operation::index: {
        const Range& range = box_[static_cast<std::size_t>(node.number)];
        return {range.begin, range.end - 1};
      }
      case Operation::read: {
        const Access& access = accesses_[static_cast<std::size_t>(node.number)];
        if (access.is_input) return of_input(access.array);
        return arrays_.empty() ? any : arrays_[static_cast<std::size_t>(access.array)];
      }
      case Operation::look_up:
        return of_input(node.number);
      case Operation::add:
        return {of(node, 0).least + of(node, 1).least, of(node, 0).most + of(node, 1).most};
      case Operation::subtract:
        return {of(node, 0).least - of(node, 1).most, of(node, 0).most - of(node, 1).least};
      case Operation::negate:
        return {-of(node, 0).most, -of(node, 0).least};
      case Operation::minimum:
        return {least(of(node, 0).least, of(node, 1).least), least(of(node, 0).most, of(node, 1).most)};
      case Operation::maximum:
        return {most(of(node, 0).least, of(node, 1).least), most(of(node, 0).most, of(node, 1).most)};
      case Operation::multiply:
        return product(of(node, 0), of(node, 1));
      case Operation::divide: {
        const Wide size = size_of(of(node, 0));
        return {-size, size};
      }
      case Operation::remainder: {
        const Bounds a = of(node, 0);
        const Wide size = least(size_of(a), most(size_of(of(node, 1)) - 1, 0));
        return {a.least < 0 ? -size : 0, a.most > 0 ? size : 0};
      }
      case Operation::absolute:
        return {0, size_of(of(node, 0))};
      case Operation::choose: {
        if (node.type == formula::Type::boolean) return {0, 1};
        const Bounds condition = of(node, 0), a = of(node, 1), b = of(node, 2);
        if (condition.least == condition.most) return condition.least != 0 ? a : b;
        return hull(a, b);
      }
      case Operation::convert:
        if (!formula::is_real(formula_[node.operands[0]].type)) return of(node, 0);
        return node.type == formula::Type::i32 ? nest::bounds_of(ElementType::i32) : any;
      default:
        return node.type == formula::Type::boolean ? condition_of(node) : any;
    }
  }
  Bounds condition_of(const Node& node) const {
    const auto decided = [](bool always, bool never) { return Bounds{always ? 1 : 0, never ? 0 : 1}; };
    const auto compared = [&](Operation operation) {
      if (formula::is_real(formula_[node.operands[0]].type)) return decided(false, false);
      const Bounds a = of(node, 0), b = of(node, 1);
      if (operation == Operation::less) return decided(a.most < b.least, a.least >= b.most);
      if (operation == Operation::less_equal) return decided(a.most <= b.least, a.least > b.most);
      const bool apart = a.most < b.least || b.most < a.least;
      const bool same = a.least == a.most && b.least == b.most && a.least == b.least;
      return operation == Operation::equal ? decided(same, apart) : decided(apart, same);
    };
    switch (node.operation) {
      case Operation::equal:
      case Operation::not_equal:
      case Operation::less:
      case Operation::less_equal:
        return compared(node.operation);
      case Operation::both:
        return {least(of(node, 0).least, of(node, 1).least), least(of(node, 0).most, of(node, 1).most)};
      case Operation::either:
        return {most(of(node, 0).least, of(node, 1).least), most(of(node, 0).most, of(node, 1).most)};
      case Operation::inverse:
        return {1 - of(node, 0).most, 1 - of(node, 0).least};
      default:
        return {0, 1};
    }
  }

  const Formula& formula_;
  const Ranges& box_;
  const std::vector<Input>& inputs_;
  const std::vector<Access>& accesses_;
  const std::vector<Bounds>& arrays_;  // of elements of written arrays; empty: not known
  std::vector<Bounds> unchecked_, bounds_;
  std::vector<bool> seen_;
};

/// The largest absolute value of a whole number: base + slope * the largest one of the elements that it depends on.
struct Growth {
  double base, slope;
};

/// The growth of a node from the elements of written arrays; an infinite slope where it is not followed.
class Growths {
 public:
  Growths(const Nest& nest, const Formula& formula, const Ranges& box) : nest_(nest), formula_(formula), box_(box) {
    for (const Node& node : formula.nodes()) all_.push_back(growth_of(node));
  }
  const Growth& result() const { return all_[static_cast<std::size_t>(formula_.results().front())]; }

 private:
  const Growth& of(const Node& node, std::size_t operand) const {
    return all_[static_cast<std::size_t>(node.operands[operand])];
  }
  static Growth of_input(const Input& input) { return {static_cast<double>(size_of({input.least, input.most})), 0}; }
  static Growth larger(const Growth& a, const Growth& b) {
    return {std::max(a.base, b.base), std::max(a.slope, b.slope)};
  }
  Growth growth_of(const Node& node) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (node.type == formula::Type::boolean) return {1, 0};
    if (formula::is_real(node.type)) return {0, infinite};
    switch (node.operation) {
      case Operation::constant:
        return {std::abs(static_cast<double>(node.whole)), 0};
      case Operation::index: {
        const Range& range = box_[static_cast<std::size_t>(node.number)];
        return {static_cast<double>(size_of({range.begin, range.end})), 0};
      }
      case Operation::read: {
        const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
        return access.is_input ? of_input(nest_.inputs[static_cast<std::size_t>(access.array)]) : Growth{0, 1};
      }
      case Operation::look_up:
        return of_input(nest_.inputs[static_cast<std::size_t>(node.number)]);
      case Operation::negate:
      case Operation::absolute:
      case Operation::divide:
        return of(node, 0);
      case Operation::convert:
        return of(node, 0);
      case Operation::add:
      case Operation::subtract:
        return {of(node, 0).base + of(node, 1).base, of(node, 0).slope + of(node, 1).slope};
      case Operation::minimum:
      case Operation::maximum:
        return larger(of(node, 0), of(node, 1));
      case Operation::choose:
        return larger(of(node, 1), of(node, 2));
      case Operation::remainder:
        return of(node, 1).slope == 0 ? of(node, 1) : of(node, 0);
      case Operation::multiply: {
        const bool first = of(node, 0).slope == 0;
        if (!first && of(node, 1).slope > 0) return {0, infinite};
        const Growth &fixed = of(node, first ? 0 : 1), &other = of(node, first ? 1 : 0);
        return {fixed.base * other.base, fixed.base == 0 ? 0 : fixed.base * other.slope};
      }
      default:
        return {0, infinite};
    }
  }

  const Nest& nest_;
  const Formula& formula_;
  const Ranges& box_;
  std::vector<Growth> all_;
};

Bounds intersected(const Bounds& a, const Bounds& b) {
  // Values that are beyond are refused: what is left may be none.
  const Wide low = least(most(a.least, b.least), b.most);
  return {low, most(least(a.most, b.most), low)};
}

/// Bounds of the elements that no statement has written.
Bounds first_bounds(const Nest& nest, std::size_t number) {
  const Array& array = nest.arrays[number];
  Bounds all{0, 0};
  if (array.outside) {
    const Ranges box = subscripts_of(nest, number);
    const Formula& outside = *array.outside;
    all = node_bounds(nest, outside, box, {})[static_cast<std::size_t>(outside.results().front())];
    all = intersected(all, bounds_of(array.type));
  }
  if (array.from < 0) return all;
  const Input& from = nest.inputs[static_cast<std::size_t>(array.from)];
  const Bounds own{from.least, from.most};
  return array.outside ? hull(all, own) : hull(own, {0, 0});
}

/// The bound of absolute values along the longest chain of dependences; infinite if they may grow faster.
double bound_of_chains(const NestSpec& spec, const std::vector<Bounds>& first) {
  const Nest& nest = *spec.nest;
  double base = 0, start = 0, longest = 1;
  for (std::size_t n = 0; n < nest.arrays.size(); ++n) {
    if (!is_floating(nest.arrays[n].type)) start = std::max(start, static_cast<double>(size_of(first[n])));
  }
  for (const Statement& statement : nest.statements) {
    if (is_floating(nest.arrays[static_cast<std::size_t>(statement.array)].type)) continue;
    const Growth growth = Growths(nest, statement.value, statement.box).result();
    if (!(growth.slope <= 1)) return std::numeric_limits<double>::infinity();
    base = std::max(base, growth.base);
  }
  const Sweep sweep(spec);
  for (const Range& range : sweep.space()) longest += static_cast<double>(range.size());
  return start + base * longest * static_cast<double>(nest.statements.size());
}

}  // namespace

void visit_needed(const Formula& formula, const Ranges& box, const std::vector<Input>& inputs,
                  const std::vector<Access>& accesses, const std::function<void(const Node&)>& visit) {
  if (is_empty(box)) return;
  const std::vector<Bounds> unknown;
  ValueRanges ranges(formula, box, inputs, accesses, unknown);
  for (const int result : formula.results()) ranges.visit(result, visit);
}

std::vector<Bounds> node_bounds(const Nest& nest, const Formula& formula, const Ranges& box,
                                const std::vector<Bounds>& arrays) {
  return ValueRanges(formula, box, nest.inputs, nest.accesses, arrays).unchecked();
}

Ranges subscripts_of(const Nest& nest, std::size_t number) {
  const Array& array = nest.arrays[number];
  Ranges all = nest.ranges();
  for (std::size_t axis = 0; axis < array.box.size(); ++axis) all[array.first_loop + axis] = array.box[axis];
  for (const Access& access : nest.accesses) {
    if (access.is_input || access.array != static_cast<int>(number)) continue;
    for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
      Range& own = all[array.first_loop + axis];
      const Range read = nest.loops[array.first_loop + axis].range.shifted(access.offset[axis]);
      own = {std::min(own.begin, read.begin), std::max(own.end, read.end)};
    }
  }
  return all;
}

std::vector<Bounds> array_bounds(const NestSpec& spec) {
  const Nest& nest = *spec.nest;
  std::vector<Bounds> first, all;
  for (std::size_t n = 0; n < nest.arrays.size(); ++n) {
    const bool is_real = is_floating(nest.arrays[n].type);
    first.push_back(is_real ? any : first_bounds(nest, n));
    all.push_back(is_real ? any : hull(bounds_of(nest.arrays[n].type), first.back()));
  }
  // Values that formulas make of values within bounds are within them again.
  for (int round = 0; round < 3; ++round) {
    std::vector<Bounds> next = first;
    for (const Statement& statement : nest.statements) {
      const auto array = static_cast<std::size_t>(statement.array);
      if (is_floating(nest.arrays[array].type) || is_empty(statement.box)) continue;
      const auto result = static_cast<std::size_t>(statement.value.results().front());
      const Bounds made = node_bounds(nest, statement.value, statement.box, all)[result];
      next[array] = hull(next[array], intersected(made, bounds_of(nest.arrays[array].type)));
    }
    all = next;
  }
  constexpr double most_followed = 0x1p62;
  const double bound = bound_of_chains(spec, first);
  for (std::size_t n = 0; n < nest.arrays.size() && bound < most_followed; ++n) {
    if (is_floating(nest.arrays[n].type)) continue;
    const auto size = static_cast<Wide>(bound) + 1;
    all[n] = intersected({-size, size}, all[n]);
  }
  return all;
}

}  // namespace terrace::nest
