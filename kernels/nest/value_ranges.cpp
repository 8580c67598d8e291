#include "kernels/nest/value_ranges.hpp"

#include <algorithm>
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

/// Bounds of the whole numbers and conditions of a formula; `any` where they are not followed.
class ValueRanges {
 public:
  ValueRanges(const Formula& formula, const Ranges& box, const std::vector<Input>& inputs,
              const std::vector<Access>& accesses)
      : formula_(formula), box_(box), inputs_(inputs), accesses_(accesses), seen_(formula.nodes().size(), false) {
    for (const Node& node : formula.nodes()) bounds_.push_back(clamped(bounds_of(node)));
  }

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
  static Bounds clamped(Bounds bounds) { return {most(bounds.least, any.least), least(bounds.most, any.most)}; }
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
        if (!access.is_input) return any;
        const Input& input = inputs_[static_cast<std::size_t>(access.array)];
        return {input.least, input.most};
      }
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
  std::vector<Bounds> bounds_;
  std::vector<bool> seen_;
};

}  // namespace

void visit_needed(const Formula& formula, const Ranges& box, const std::vector<Input>& inputs,
                  const std::vector<Access>& accesses, const std::function<void(const Node&)>& visit) {
  if (is_empty(box)) return;
  ValueRanges ranges(formula, box, inputs, accesses);
  for (const int result : formula.results()) ranges.visit(result, visit);
}

}  // namespace terrace::nest
