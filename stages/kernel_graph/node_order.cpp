#include "stages/kernel_graph/node_order.hpp"

#include <algorithm>
#include <optional>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/iteration_text.hpp"

namespace terrace::stages {
namespace {

/// Goes through the nodes from kept ones to what they depend on.
class NodeOrder {
 public:
  explicit NodeOrder(NodeTexts& made)
      : made_(made), states_(made.nodes.size(), State::unseen), read_(made.inputs.size()) {
    for (const NodeText& node : made_.nodes) names_.push_back(node.name);
  }

  void find() {
    find_unknown();
    for (const std::size_t kept : made_.kept) visit(kept);
    refuse_unused();
    // Cycles may be among nodes that nobody uses.
    for (std::size_t node = 0; node < names_.size(); ++node) visit(node);
  }
  /// Nodes in the order found.
  void apply() {
    std::vector<NodeText> ordered;
    std::vector<std::size_t> place(made_.nodes.size());
    for (const std::size_t node : order_) {
      place[node] = ordered.size();
      ordered.push_back(made_.nodes[node]);
    }
    for (std::size_t& kept : made_.kept) kept = place[kept];
    made_.nodes = std::move(ordered);
  }
  /// For each input: whether a node that is needed reads it.
  const std::vector<bool>& read() const { return read_; }

 private:
  enum class State : std::uint8_t { unseen, under_way, done };

  void fault(const Place& place, const std::string& what) { made_.findings.push_back({"nodes", what, false, place}); }
  static std::vector<NodeText::Operand> reads_of(const NodeText& node) {
    std::vector<NodeText::Operand> all = node.operands;
    if (node.like) all.push_back(*node.like);
    if (node.number) all.push_back(*node.number);
    return all;
  }
  std::optional<std::size_t> node_of(const std::string& name) const {
    const auto at = std::ranges::find(names_, name);
    if (at == names_.end()) return std::nullopt;
    return static_cast<std::size_t>(at - names_.begin());
  }

  void find_unknown() {
    std::vector<std::string> known = names_;
    known.insert(known.end(), made_.inputs.begin(), made_.inputs.end());
    for (const NodeText& node : made_.nodes) {
      if (node.settings.state > 0) continue;  // it has the operands of the first one
      for (const NodeText::Operand& operand : reads_of(node)) {
        if (std::ranges::count(known, operand.name) > 0) continue;
        std::vector<std::string> others;
        std::ranges::copy_if(known, std::back_inserter(others), [&](const auto& name) { return name != node.name; });
        fault(operand.place, "node " + quote(node.name) + ": there is no node or input " + quote(operand.name) +
                                 near_node(operand.name, others));
      }
    }
  }

  /// States of an iteration are made together. @return the node itself, or that of the first state
  std::size_t first_of(std::size_t node) const {
    return node - static_cast<std::size_t>(made_.nodes[node].settings.state);
  }
  std::size_t states_of(std::size_t first) const {
    return made_.nodes[first].iteration ? made_.nodes[first].iteration->states.size() : 1;
  }

  void visit(std::size_t node) {
    node = first_of(node);
    if (states_[node] == State::done) return;
    if (states_[node] == State::under_way) return refuse_cycle(node);
    states_[node] = State::under_way;
    way_.push_back(node);
    for (const NodeText::Operand& operand : reads_of(made_.nodes[node])) {
      const auto input = std::ranges::find(made_.inputs, operand.name);
      if (const auto next = node_of(operand.name)) visit(*next);
      else if (input != made_.inputs.end()) read_[static_cast<std::size_t>(input - made_.inputs.begin())] = true;
    }
    way_.pop_back();
    for (std::size_t state = 0; state < states_of(node); ++state) {
      states_[node + state] = State::done;
      order_.push_back(node + state);
    }
  }
  void refuse_cycle(std::size_t node) {
    std::string cycle = names_[node];
    for (auto at = way_.rbegin(); at != way_.rend(); ++at) {
      cycle = names_[*at] + " <- " + cycle;
      if (*at == node) break;
    }
    fault(made_.nodes[node].place, "nodes depend on themselves: " + cycle);
  }

  void refuse_unused() {
    if (made_.kept.empty() && !made_.findings.empty()) return;  // of the wrong names
    for (std::size_t node = 0; node < names_.size(); ++node) {
      if (states_[node] == State::done || first_of(node) != node) continue;
      fault(made_.nodes[node].place, std::string("no ") + made_.users + " depends on node " + quote(names_[node]));
    }
  }

  NodeTexts& made_;
  std::vector<std::string> names_;
  std::vector<State> states_;
  std::vector<bool> read_;
  std::vector<std::size_t> way_, order_;
};

}  // namespace

std::vector<bool> order_nodes(NodeTexts& made) {
  NodeOrder order(made);
  order.find();
  if (made.findings.empty()) order.apply();
  return order.read();
}

void order_nodes(const Settings& settings, NodeTexts& made) {
  const std::vector<bool> read = order_nodes(made);
  for (std::size_t input = 0; input < made.inputs.size(); ++input) {
    if (read[input] || !made.findings.empty()) continue;
    made.findings.push_back({"inputs", "no node reads input " + quote(made.inputs[input]), false,
                             element_of(settings.place("inputs"), input)});
  }
}

}  // namespace terrace::stages
