#include "kernels/formula/formula.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace terrace::formula {
namespace {

constexpr std::string_view type_names[] = {"bool", "i32", "i64", "f32", "f64"};
constexpr std::string_view operation_names[] = {
    "constant", "read",     "series", "index",     "extent",  "step",      "look_up", "negate",     "add",
    "subtract", "multiply", "divide", "remainder", "equal",   "not_equal", "less",    "less_equal", "both",
    "either",   "inverse",  "choose", "minimum",   "maximum", "absolute",  "root",    "fused",      "convert"};
constexpr int operand_counts[] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 3, 2, 2, 1, 1, 3, 1};

auto key_of(const Node& node) {
  return std::tuple(node.operation, node.type, node.operands, node.number, node.offset,
                    std::bit_cast<std::uint64_t>(node.real), node.whole);
}

/// True for nodes that results need.
std::vector<bool> needed(const Formula& formula) {
  std::vector<bool> all(formula.nodes().size(), false);
  for (const int result : formula.results()) all[static_cast<std::size_t>(result)] = true;
  for (std::size_t n = all.size(); n-- > 0;) {
    if (!all[n]) continue;
    for (const int operand : formula.nodes()[n].operands) {
      if (operand >= 0) all[static_cast<std::size_t>(operand)] = true;
    }
  }
  return all;
}

}  // namespace

std::string_view name_of(Type type) { return type_names[static_cast<std::size_t>(type)]; }
std::string_view name_of(Operation operation) { return operation_names[static_cast<std::size_t>(operation)]; }
int Node::operand_count() const {
  if (operation != Operation::look_up) return operand_counts[static_cast<std::size_t>(operation)];
  return static_cast<int>(std::count_if(operands.begin(), operands.end(), [](int operand) { return operand >= 0; }));
}

bool Formula::Order::operator()(const Node& a, const Node& b) const { return key_of(a) < key_of(b); }

int Formula::add(const Node& node) {
  const auto [at, is_new] = known_.try_emplace(node, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return at->second;
}

Reach Formula::reach() const {
  Reach reach;
  for (const Node& node : nodes_) {
    if (node.operation != Operation::read) continue;
    for (std::size_t axis = 0; axis < most_axes; ++axis) {
      reach.low[axis] = std::min(reach.low[axis], node.offset[axis]);
      reach.high[axis] = std::max(reach.high[axis], node.offset[axis]);
    }
  }
  return reach;
}

bool Formula::uses(Operation operation) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) { return node.operation == operation; });
}

int Formula::operations() const {
  return static_cast<int>(
      std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.operand_count() > 0; }));
}

Formula Formula::compact() const {
  const std::vector<bool> is_needed = needed(*this);
  Formula all;
  std::vector<int> place(nodes_.size(), -1);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (!is_needed[n]) continue;
    Node node = nodes_[n];
    for (int& operand : node.operands) {
      if (operand >= 0) operand = place[static_cast<std::size_t>(operand)];
    }
    place[n] = all.add(node);
  }
  for (const int result : results_) all.add_result(place[static_cast<std::size_t>(result)]);
  return all;
}

std::string Formula::canonical() const {
  const Formula all = compact();
  std::string text;
  for (const Node& node : all.nodes_) {
    text += name_of(node.operation);
    text.append(" ").append(name_of(node.type));
    if (node.operation == Operation::constant) {
      text += ' ' + (is_real(node.type) ? std::to_string(std::bit_cast<std::uint64_t>(node.real))
                                        : std::to_string(node.whole));
    } else if (node.operand_count() > 0) {
      if (node.operation == Operation::look_up) text += ' ' + std::to_string(node.number);
      for (int n = 0; n < node.operand_count(); ++n) {
        text += ' ' + std::to_string(node.operands[static_cast<std::size_t>(n)]);
      }
    } else {
      text += ' ' + std::to_string(node.number);
      for (const int offset : node.offset) text += ' ' + std::to_string(offset);
    }
    text += '\n';
  }
  for (const int result : all.results_) text += "= " + std::to_string(result) + '\n';
  return text;
}

}  // namespace terrace::formula
