#include "stages/kernel_graph/iteration_text.hpp"

#include <algorithm>
#include <set>

#include "kernels/graph/operators.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/node_order.hpp"

namespace terrace::stages {
namespace {

class IterationReader {
 public:
  IterationReader(const Settings& settings, const NodeText& node, std::vector<job::Finding>& findings)
      : settings_(settings), node_(node), findings_(findings), prefix_("nodes." + node.name + ".iterate.") {}

  void read(IterationText& made, std::vector<NodeText::Operand>& operands) {
    made.states = settings_.names(prefix_ + "state");
    for (const std::string& state : made.states) {
      const std::string setting = prefix_ + "state." + state;
      operands.push_back({settings_.text(setting), settings_.place(setting)});
    }
    if (settings_.has("nodes." + node_.name + ".times")) {
      made.times = settings_.integer("nodes." + node_.name + ".times");
    } else {
      fault("`iterate` needs `times`: the number of steps", node_.place);
    }
    read_body(made);
    read_next(made);
    order_body(made);
    add_outer(made, operands);
    findings_.insert(findings_.end(), made.body.findings.begin(), made.body.findings.end());
  }

 private:
  void fault(const std::string& what, const Place& place) {
    findings_.push_back({"nodes", "node " + quote(node_.name) + ": " + what, false, place});
  }

  void read_body(IterationText& made) {
    NodeTexts& body = made.body;
    body.users = "next state";
    body.inputs = made.states;
    for (const std::string& name : names_outside()) body.inputs.push_back(name);
    const std::size_t count = settings_.names(prefix_ + "nodes").size();
    for (std::size_t n = 0; n < count; ++n) {
      body.nodes.push_back(read_node(settings_, prefix_ + "nodes", n, body.findings));
      const NodeText& own = body.nodes.back();
      if (std::ranges::count(body.inputs, own.name) > 0) {
        fault("its node " + quote(own.name) + " has the name of a state, or of an array outside: rename it",
              own.place);
      }
    }
  }
  /// Nodes and inputs of the graph, and states of other iterations.
  std::vector<std::string> names_outside() const {
    std::vector<std::string> all = settings_.names("inputs");
    for (const std::string& node : settings_.names("nodes")) {
      const std::string states = "nodes." + node + ".iterate.state";
      if (!settings_.has(states)) all.push_back(node);
      for (const std::string& state : settings_.names(states)) all.push_back(node + "/" + state);
    }
    return all;
  }

  void read_next(IterationText& made) {
    std::vector<std::string> known;
    for (const NodeText& own : made.body.nodes) known.push_back(own.name);
    known.insert(known.end(), made.states.begin(), made.states.end());
    for (const std::string& state : settings_.names(prefix_ + "next")) {
      const std::string setting = prefix_ + "next." + state;
      const std::string& value = settings_.text(setting);
      if (std::ranges::count(made.states, state) == 0) {
        fault("`next` of " + quote(state) + ": there is no such state" + did_you_mean(state, made.states),
              settings_.place(setting));
      }
      if (std::ranges::count(known, value) == 0) {
        fault("`next` of " + quote(state) + ": there is no node or state " + quote(value) + " in the iteration" +
                  did_you_mean(value, known),
              settings_.place(setting));
      }
    }
    for (const std::string& state : made.states) {
      const std::string setting = prefix_ + "next." + state;
      if (!settings_.has(setting)) fault("state " + quote(state) + " has no `next`", node_.place);
      made.next.push_back(settings_.has(setting) ? settings_.text(setting) : state);
    }
    for (std::size_t n = 0; n < made.body.nodes.size(); ++n) {
      if (std::ranges::count(made.next, made.body.nodes[n].name) > 0) made.body.kept.push_back(n);
    }
  }

  void order_body(IterationText& made) {
    const std::vector<bool> read = order_nodes(made.body);
    for (std::size_t state = 0; state < made.states.size(); ++state) {
      const std::string& name = made.states[state];
      if (read[state] || std::ranges::count(made.next, name) > 0) continue;
      fault("no node of the iteration reads state " + quote(name),
            element_of(settings_.place(prefix_ + "state"), state));
    }
  }

  /// Finds the names outside that the body reads.
  static void add_outer(IterationText& made, std::vector<NodeText::Operand>& operands) {
    std::set<std::string> known(made.states.begin(), made.states.end());
    for (const NodeText& own : made.body.nodes) known.insert(own.name);
    for (const NodeText& own : made.body.nodes) {
      for (const NodeText::Operand& operand : own.operands) {
        const bool is_there = std::ranges::count(made.body.inputs, operand.name) > 0;
        if (!is_there || !known.insert(operand.name).second) continue;
        made.outer.push_back(operand.name);
        operands.push_back(operand);
      }
    }
  }

  const Settings& settings_;
  const NodeText& node_;
  std::vector<job::Finding>& findings_;
  std::string prefix_;
};

}  // namespace

void add_states(const Settings& settings, const NodeText& node, NodeTexts& made) {
  auto iteration = std::make_shared<IterationText>();
  NodeText own = node;
  IterationReader(settings, node, made.findings).read(*iteration, own.operands);
  own.iteration = iteration;
  for (const std::string& state : iteration->states) {
    own.name = node.name + "/" + state;
    made.nodes.push_back(own);
    ++own.settings.state;
  }
}

}  // namespace terrace::stages
