#include "kernels/nest/addends.hpp"

#include <map>
#include <vector>

namespace terrace::nest {

using formula::Formula;
using formula::Node;
using formula::Operation;

namespace {

class Rewriter {
 public:
  explicit Rewriter(const Formula& formula) : formula_(formula) {}

  Formula made() && {
    for (std::size_t n = 0; n < formula_.nodes().size(); ++n) {
      Node node = formula_.nodes()[n];
      if (is_extremum(node)) {
        places_.push_back(extremum(node));
        continue;
      }
      for (int& operand : node.operands) {
        if (operand >= 0) operand = places_[static_cast<std::size_t>(operand)];
      }
      places_.push_back(made_.add(node));
    }
    for (const int result : formula_.results()) made_.add_result(places_[static_cast<std::size_t>(result)]);
    return made_.compact();
  }

 private:
  static bool is_extremum(const Node& node) {
    return formula::is_whole(node.type) &&
           (node.operation == Operation::minimum || node.operation == Operation::maximum);
  }
  /// The operands of nested operations of one kind.
  void collect(const Node& node, Operation operation, std::vector<int>& leaves) const {
    for (std::size_t n = 0; n < 2; ++n) {
      const Node& operand = formula_[node.operands[n]];
      if (operand.operation == operation && operand.type == node.type) collect(operand, operation, leaves);
      else leaves.push_back(node.operands[n]);
    }
  }
  int joined(const Node& like, const std::vector<int>& operands) {
    int all = operands.front();
    for (std::size_t n = 1; n < operands.size(); ++n)
      all = made_.add({like.operation, like.type, {all, operands[n], -1}});
    return all;
  }
  int extremum(const Node& node) {
    std::vector<int> leaves, operands;
    collect(node, node.operation, leaves);
    std::map<int, std::vector<int>> by_addend;  // constants, as made_ numbers them
    for (const int leaf : leaves) {
      const Node& one = formula_[leaf];
      const bool is_sum = one.operation == Operation::add && one.type == node.type &&
                          formula_[one.operands[1]].operation == Operation::constant;
      if (is_sum) by_addend[place(one.operands[1])].push_back(place(one.operands[0]));
      else operands.push_back(place(leaf));
    }
    for (const auto& [addend, summands] : by_addend)
      operands.push_back(made_.add({Operation::add, node.type, {joined(node, summands), addend, -1}}));
    return joined(node, operands);
  }
  int place(int node) const { return places_[static_cast<std::size_t>(node)]; }

  const Formula& formula_;
  Formula made_;
  std::vector<int> places_;
};

}  // namespace

Formula with_common_addends(const Formula& formula) { return Rewriter(formula).made(); }

}  // namespace terrace::nest
