#include "stages/kernel_graph/nodes.hpp"

#include <algorithm>
#include <set>

#include "kernels/graph/operators.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/iteration_text.hpp"
#include "stages/kernel_graph/node_order.hpp"

namespace terrace::stages {
namespace {

using graph::OperatorInfo;
using graph::OwnKey;

/// The ends of the names of a kept node's axes.
std::vector<const char*> axes_of(const NodeText& node) {
  if (!node.reduction) return {"_row", "_column"};
  switch (node.reduction->makes) {
    case graph::Makes::counts:
      return {"_bin"};
    case graph::Makes::positions:
      return {"_number", "_axis"};
    case graph::Makes::number:
      break;
  }
  return {};
}

/// What a reduction makes, in words.
const char* words_of(graph::Makes makes) {
  return makes == graph::Makes::number   ? "a number"
         : makes == graph::Makes::counts ? "counts"
                                         : "a list of positions";
}

/// Finds arrays where numbers are wanted, and the other way round.
void check_kinds(NodeTexts& made) {
  const auto reduction_of = [&](const NodeText::Operand& operand) -> const graph::Reduction* {
    const auto at = std::ranges::find(made.nodes, operand.name, &NodeText::name);
    return at != made.nodes.end() && at->reduction ? &*at->reduction : nullptr;
  };
  std::vector<job::Finding> found;
  for (const NodeText& node : made.nodes) {
    const auto fault = [&](const Place& place, const std::string& what) {
      found.push_back({"nodes", "node " + quote(node.name) + ": " + what, false, place});
    };
    std::vector<NodeText::Operand> arrays = node.operands;
    if (node.like) arrays.push_back(*node.like);
    for (const NodeText::Operand& operand : arrays) {
      if (const graph::Reduction* other = reduction_of(operand)) {
        fault(operand.place, quote(operand.name) + " is no array: it is " + words_of(other->makes));
      }
    }
    if (!node.number) continue;
    const graph::Reduction* number = reduction_of(*node.number);
    if (number != nullptr && number->makes == graph::Makes::number) continue;
    const bool is_known = std::ranges::count(made.nodes, node.number->name, &NodeText::name) > 0 ||
                          std::ranges::count(made.inputs, node.number->name) > 0;
    if (is_known) fault(node.number->place, quote(node.number->name) + " is no number: name a node of `reduce`");
  }
  for (const NodeText& node : made.nodes) {
    if (!node.reduction || !node.kept_as) continue;
    found.push_back({"nodes", "node " + quote(node.name) + ": " + words_of(node.reduction->makes) + " has no `type`",
                     false, node.place});
  }
  made.findings.insert(made.findings.end(), found.begin(), found.end());
}

}  // namespace

std::string near_node(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string> states;
  std::ranges::copy_if(names, std::back_inserter(states),
                       [&](const std::string& other) { return other.starts_with(name + "/"); });
  if (states.empty()) return did_you_mean(name, names);
  return ": the iteration " + quote(name) + " has " + counted(static_cast<std::int64_t>(states.size()), "state") +
         "; name " + (states.size() == 1 ? quote(states[0]) : "one of " + quote_names(states));
}

namespace {

/// Reads `keep`.
void read_kept(const Settings& settings, NodeTexts& made) {
  std::vector<std::string> names;
  for (const NodeText& node : made.nodes) names.push_back(node.name);
  if (operands_in(settings, "keep").empty()) {
    made.findings.push_back({"keep", "`keep` names no node: nothing would be computed"});
  }
  for (const NodeText::Operand& kept : operands_in(settings, "keep")) {
    const auto at = std::ranges::find(names, kept.name);
    const auto number = static_cast<std::size_t>(at - names.begin());
    const auto fault = [&](const std::string& what) { made.findings.push_back({"keep", what, false, kept.place}); };
    const bool is_input = std::ranges::count(made.inputs, kept.name) > 0;
    if (is_input) fault(quote(kept.name) + " is an input, and `keep` names nodes");
    else if (at == names.end()) fault("there is no node " + quote(kept.name) + near_node(kept.name, names));
    else if (std::ranges::count(made.kept, number) > 0) fault("node " + quote(kept.name) + " is kept twice");
    else made.kept.push_back(number);
  }
  for (const std::size_t kept : made.kept) {
    const auto other = std::ranges::find(names, dataset_name(names[kept]));
    const auto number = static_cast<std::size_t>(other - names.begin());
    if (number == kept || std::ranges::count(made.kept, number) == 0) continue;
    made.findings.push_back(
        {"keep",
         "nodes " + quote(names[kept]) + " and " + quote(*other) + " become datasets of the same name: rename one",
         false, made.nodes[number].place});
  }
  // The axes of a kept node are coordinates of the result.
  for (const std::size_t kept : made.kept) {
    for (const char* axis : axes_of(made.nodes[kept])) {
      const auto other = std::ranges::find(names, dataset_name(names[kept]) + axis);
      if (other == names.end() || std::ranges::count(made.kept, static_cast<std::size_t>(other - names.begin())) == 0)
        continue;
      made.findings.push_back({"keep",
                               "node " + quote(*other) + " has the name of an axis of node " + quote(names[kept]) +
                                   ", which is kept, too: rename one",
                               false, made.nodes[static_cast<std::size_t>(other - names.begin())].place});
    }
  }
  if (made.kept.size() > graph::most_kept) {
    made.findings.push_back({"keep", "a graph keeps at most " + std::to_string(graph::most_kept) + " nodes"});
  }
  for (std::size_t n = 0; n < made.nodes.size(); ++n) {
    const auto is_kept = [&](std::size_t kept) {
      return kept == n || (made.nodes[n].iteration && made.nodes[kept].iteration == made.nodes[n].iteration);
    };
    if (!made.nodes[n].kept_as || std::ranges::any_of(made.kept, is_kept)) continue;
    made.findings.push_back({"nodes." + names[n] + ".type",
                             "node " + quote(names[n]) + " is not kept: only kept nodes have a type of their own"});
  }
}

}  // namespace

std::string dataset_name(std::string node) {
  std::ranges::replace(node, '/', '_');
  return node;
}

NodeTexts read_nodes(const Settings& settings) {
  NodeTexts made;
  made.inputs = settings.names("inputs");
  const std::size_t count = settings.names("nodes").size();
  for (std::size_t n = 0; n < count; ++n) {
    const NodeText node = read_node(settings, "nodes", n, made.findings);
    const bool is_iteration =
        node.op >= 0 && graph::operators()[static_cast<std::size_t>(node.op)].own_key == OwnKey::iteration;
    if (is_iteration) add_states(settings, node, made);
    else made.nodes.push_back(node);
    if (std::ranges::count(made.inputs, node.name) == 0) continue;
    made.findings.push_back(
        {"nodes", quote(node.name) + " is a node and an input: rename the node", false, node.place});
  }
  if (made.inputs.size() > graph::most_inputs) {
    made.findings.push_back({"nodes", "a graph reads at most " + std::to_string(graph::most_inputs) + " arrays"});
  }
  check_kinds(made);
  read_kept(settings, made);
  order_nodes(settings, made);
  return made;
}

void find_inputs_of_graph(Settings& settings, const std::function<bool(const std::string&)>& is_input) {
  if (!settings.has("nodes")) return;  // of a problem whose graph is made by code
  std::vector<std::string> inputs = settings.names("inputs");
  std::set<std::string> known(inputs.begin(), inputs.end());
  const auto add = [&](const std::string& setting) {
    for (const NodeText::Operand& operand : operands_in(settings, setting)) {
      if (!is_input(operand.name) || !known.insert(operand.name).second) continue;
      inputs.push_back(operand.name);
      settings.set("inputs." + operand.name, operand.name, operand.place);
    }
  };
  const auto add_values = [&](const std::string& map) {
    for (const std::string& name : settings.names(map)) add(map + "." + name);
  };
  const auto add_nodes = [&](const std::string& list) {
    for (const std::string& node : settings.names(list)) {
      for (const OperatorInfo& info : graph::operators()) {
        if (info.own_key == OwnKey::arrays) add(list + "." + node + "." + info.name);
        if (info.more > 0) add(list + "." + node + "." + info.more_key);
      }
      add(list + "." + node + ".like");
      add_values(list + "." + node + ".operands");
    }
  };
  const std::vector<std::string> nodes = settings.names("nodes");
  add_nodes("nodes");
  for (const std::string& node : nodes) {
    const std::string iteration = "nodes." + node + ".iterate";
    add_values(iteration + ".state");
    for (const char* names : {".state", ".nodes"}) {
      // Names of the iteration hide those of inputs.
      const std::vector<std::string> own = settings.names(iteration + names);
      known.insert(own.begin(), own.end());
    }
    add_nodes(iteration + ".nodes");
  }
  settings.set("inputs", inputs, settings.has("inputs") ? settings.place("inputs") : Place{});
}

}  // namespace terrace::stages
