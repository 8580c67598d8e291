#include "stages/kernel_graph/nodes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "kernels/formula/syntax.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/iteration_text.hpp"
#include "stages/kernel_graph/node_order.hpp"

namespace terrace::stages {
namespace {

using graph::OperatorInfo;
using graph::OwnKey;

/// The texts of a setting, which is one or a list, with their places.
std::vector<NodeText::Operand> operands_in(const Settings& settings, const std::string& setting) {
  if (settings.holds<std::string>(setting)) return {{settings.text(setting), settings.place(setting)}};
  std::vector<NodeText::Operand> found;
  for (const std::string& name : settings.names(setting)) {
    found.push_back({name, element_of(settings.place(setting), found.size())});
  }
  return found;
}

/// True if the setting is given: a list may be there without entries.
bool is_given(const Settings& settings, const std::string& setting) {
  return settings.has(setting) && !(settings.holds<std::int64_t>(setting) && settings.count(setting) == 0 &&
                                    setting.ends_with(".coefficients"));
}

/// Reads one node; adds to the findings.
class NodeReader {
 public:
  NodeReader(const Settings& settings, const std::string& list, std::size_t number,
             std::vector<job::Finding>& findings)
      : settings_(settings), findings_(findings), list_(list) {
    made_.name = settings.names(list)[number];
    made_.place = element_of(settings.place(list), number);
    prefix_ = list + "." + made_.name + ".";
  }

  NodeText read() && {
    find_operator();
    if (made_.op < 0) return std::move(made_);
    read_operands();
    if (op().is_reduction) {
      read_reduction();
    } else {
      read_parameters();
      read_own_boundary();
    }
    refuse_others();
    if (settings_.has(prefix_ + "type")) made_.kept_as = element_type_from(settings_.text(prefix_ + "type"));
    return std::move(made_);
  }

 private:
  const OperatorInfo& op() const { return graph::operators()[static_cast<std::size_t>(made_.op)]; }
  void fault(const std::string& what, const std::string& key = "") {
    const Place place = key.empty() ? made_.place : settings_.place(prefix_ + key);
    findings_.push_back(
        {key.empty() ? list_ : prefix_ + key, "node " + quote(made_.name) + ": " + what, false, place});
  }

  void find_operator() {
    std::vector<std::string> all, given;
    for (const OperatorInfo& info : graph::operators()) {
      all.emplace_back(info.name);
      const std::string own = prefix_ + info.name;
      const bool is_map = info.own_key == OwnKey::iteration && settings_.has(own + ".nodes");
      if (settings_.has(own) || is_map) given.emplace_back(info.name);
    }
    if (given.size() == 1) made_.op = graph::find_operator(given[0]).value();
    else if (given.empty()) fault("it has no operator; give one of " + list_names(all));
    else fault("it has several operators, " + list_names(given) + ": give one");
  }

  void read_formula() {
    const std::string setting = prefix_ + op().name;
    made_.formula = {settings_.text(setting), settings_.place(setting)};
    for (const std::string& name : settings_.names(prefix_ + "operands")) {
      made_.names.push_back(name);
      made_.operands.push_back(operands_in(settings_, prefix_ + "operands." + name).front());
    }
    if (made_.operands.empty()) fault("`formula` needs `operands`: the arrays that it reads, by names", op().name);
    if (made_.operands.size() > graph::most_formula_operands) {
      fault("a formula has at most " + std::to_string(graph::most_formula_operands) + " operands", "operands");
    }
    try {
      formula::parse(made_.formula->name);
    } catch (const formula::Fault& wrong) {
      findings_.push_back(
          {setting, "node " + quote(made_.name) + ": " + wrong.what, false, inside(made_.formula->place, wrong.at)});
    }
  }

  void read_operands() {
    if (op().own_key == OwnKey::formula) return read_formula();
    if (op().own_key == OwnKey::arrays) made_.operands = operands_in(settings_, prefix_ + op().name);
    const auto check = [&](std::size_t found, int wanted, const char* key) {
      if (static_cast<int>(found) == wanted) return;
      fault("`" + std::string(key) + "` takes " + counted(wanted, "array") + ", not " + std::to_string(found), key);
    };
    check(made_.operands.size(), op().operands, op().name);
    if (op().more > 0) {
      if (settings_.has(prefix_ + op().more_key)) {
        const auto more = operands_in(settings_, prefix_ + op().more_key);
        check(more.size(), op().more, op().more_key);
        made_.operands.insert(made_.operands.end(), more.begin(), more.end());
      } else {
        fault("`" + std::string(op().name) + "` needs `" + op().more_key + "`: " + op().more_help, op().name);
      }
    }
    if (op().takes_size && settings_.has(prefix_ + "like")) {
      made_.like = operands_in(settings_, prefix_ + "like").front();
    }
  }

  void read_parameters() {
    graph::NodeSettings& made = made_.settings;
    made.row_radius = made.column_radius = op().radius;
    if (std::string(op().name) == "stencil") return read_stencil();
    for (const Parameter& parameter : op().parameters) {
      const std::string setting = prefix_ + parameter.name;
      if (parameter.name == std::string(op().number_key) && settings_.has(setting + ".of")) {
        made_.number = {settings_.text(setting + ".of"), settings_.place(setting + ".of")};
        made.known.push_back({made.numbers.size(), 0, settings_.number(setting + ".times")});
        made.numbers.push_back(0);
      } else if (!settings_.has(setting) && parameter.default_text == nullptr) {
        fault("`" + std::string(op().name) + "` needs `" + parameter.name + "`: " + parameter.help, op().name);
      } else if (parameter.kind == ParameterKind::choice) {
        made.axis = settings_.text(setting) == "x" ? 1 : 0;
      } else if (parameter.kind == ParameterKind::integer) {
        const auto radius =
            settings_.has(setting) ? static_cast<int>(settings_.integer(setting)) : std::atoi(parameter.default_text);
        made.row_radius = made.column_radius = radius;
      } else {
        made.numbers.push_back(settings_.has(setting) ? settings_.number(setting)
                                                      : std::strtod(parameter.default_text, nullptr));
      }
    }
  }

  void read_reduction() {
    graph::Reduction& made = made_.reduction.emplace();
    made.name = made_.name;
    made.counts = op().name == std::string(graph::Histogram::name);
    for (const char* key : {"boundary", "boundary.value"}) {
      if (settings_.has(prefix_ + key)) fault("`" + std::string(op().name) + "` takes no `boundary`", "boundary");
    }
    if (!made.counts) return read_measure(made);
    if (settings_.has(prefix_ + "bins")) made.bins.bins = settings_.integer(prefix_ + "bins");
    if (!settings_.has(prefix_ + "range")) return;
    const auto& range = settings_.get<std::vector<double>>(prefix_ + "range");
    if (range.size() == 2 && range[0] < range[1] && std::isfinite(range[1] - range[0])) {
      made.bins.low = range[0], made.bins.high = range[1];
    } else {
      fault("`range` is two numbers, the lower first: [0, 1]", "range");
    }
  }
  void read_measure(graph::Reduction& made) {
    if (!settings_.has(prefix_ + "with")) return fault("`reduce` needs `with`: minimum, maximum or sum", "reduce");
    const std::string& word = settings_.text(prefix_ + "with");
    using graph::Measure;
    made.measure = word == "minimum" ? Measure::minimum : word == "maximum" ? Measure::maximum : Measure::sum;
  }

  void read_stencil() {
    const std::int64_t count = settings_.count(prefix_ + "coefficients");
    const bool has_rows = settings_.has(prefix_ + "rows"), has_columns = settings_.has(prefix_ + "columns");
    if (count > 0 && (has_rows || has_columns)) {
      fault("`coefficients` stand alone, without `rows` and `columns`", "coefficients");
    } else if (count > 0) {
      read_dense(count);
    } else if (!has_rows || !has_columns) {
      fault("`stencil` needs `coefficients`, or `rows` and `columns`", "stencil");
    } else {
      made_.settings.is_separable = true;
      made_.settings.row_radius = take_numbers("rows");
      made_.settings.column_radius = take_numbers("columns");
    }
  }
  void read_dense(std::int64_t count) {
    if (count % 2 == 0)
      fault("its coefficients have " + std::to_string(count) + " rows; give an odd number", "coefficients");
    made_.settings.row_radius = static_cast<int>(count / 2);
    std::size_t width = 0;
    for (std::int64_t row = 0; row < count; ++row) {
      const std::string key = "coefficients[" + std::to_string(row) + "]";
      made_.settings.column_radius = take_numbers(key);
      const std::size_t own = settings_.get<std::vector<double>>(prefix_ + key).size();
      if (row > 0 && own != width) fault("its rows of coefficients have different lengths", key);
      width = own;
    }
  }
  /// Takes a list of coefficients. @return its radius
  int take_numbers(const std::string& key) {
    const auto& numbers = settings_.get<std::vector<double>>(prefix_ + key);
    constexpr std::size_t most = 2 * graph::most_radius + 1;
    if (numbers.size() % 2 == 0 || numbers.size() > most) {
      fault("`" + key.substr(0, key.find('[')) + "` has " +
                counted(static_cast<std::int64_t>(numbers.size()), "number") +
                "; give an odd number of them, at most " + std::to_string(most),
            key);
    }
    made_.settings.numbers.insert(made_.settings.numbers.end(), numbers.begin(), numbers.end());
    return static_cast<int>(numbers.size() / 2);
  }

  void read_own_boundary() {
    const std::string own = settings_.has(prefix_ + "boundary") || settings_.has(prefix_ + "boundary.value")
                                ? prefix_ + "boundary"
                                : "boundary";
    if (own != "boundary" && !op().has_boundary)
      fault("`" + std::string(op().name) + "` takes no `boundary`", "boundary");
    read_boundary(settings_, own, made_.settings);
  }

  /// Finds keys of other operators.
  void refuse_others() {
    std::set<std::string> own;
    if (op().more > 0) own.insert(op().more_key);
    if (op().takes_size) own.insert("like");
    if (op().own_key == OwnKey::formula) own.insert("operands");
    if (op().own_key == OwnKey::iteration) own.insert("times");
    for (const Parameter& parameter : op().parameters) own.insert(parameter.name);
    std::set<std::string> others = {"like", "operands", "times"};
    for (const OperatorInfo& info : graph::operators()) {
      if (info.more > 0) others.insert(info.more_key);
      for (const Parameter& parameter : info.parameters) {
        if (std::string(parameter.name) != info.name) others.insert(parameter.name);
      }
    }
    for (const std::string& key : others) {
      if (own.contains(key)) continue;
      if (!is_given(settings_, prefix_ + key) && !settings_.has(prefix_ + key + ".of")) continue;
      fault("`" + std::string(op().name) + "` takes no `" + key + "`", key);
    }
  }

  const Settings& settings_;
  std::vector<job::Finding>& findings_;
  std::string list_, prefix_;
  NodeText made_;
};

/// The ends of the names of a kept node's axes.
std::vector<const char*> axes_of(const NodeText& node) {
  if (!node.reduction) return {"_row", "_column"};
  if (node.reduction->counts) return {"_bin"};
  return {};
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
        fault(operand.place, quote(operand.name) + " is no array: it is " + (other->counts ? "counts" : "a number"));
      }
    }
    const auto is_known = [&](const NodeText& other) { return node.number && other.name == node.number->name; };
    if (!node.number || std::ranges::none_of(made.nodes, is_known)) continue;
    const graph::Reduction* number = reduction_of(*node.number);
    if (number != nullptr && !number->counts) continue;
    fault(node.number->place, quote(node.number->name) + " is no number: name a node of `reduce`");
  }
  for (const NodeText& node : made.nodes) {
    if (!node.reduction || !node.kept_as) continue;
    found.push_back({"nodes", "node " + quote(node.name) + ": a number has no `type`", false, node.place});
  }
  made.findings.insert(made.findings.end(), found.begin(), found.end());
}

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
    if (at == names.end()) fault("there is no node " + quote(kept.name) + did_you_mean(kept.name, names));
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

NodeText read_node(const Settings& settings, const std::string& list, std::size_t number,
                   std::vector<job::Finding>& findings) {
  return NodeReader(settings, list, number, findings).read();
}

void read_boundary(const Settings& settings, const std::string& setting, graph::NodeSettings& made) {
  if (settings.has(setting + ".value")) {
    made.boundary = graph::Boundary::value;
    made.boundary_value = settings.number(setting + ".value");
    return;
  }
  const std::string& word = settings.text(setting);
  using graph::Boundary;
  made.boundary = word == "edge"       ? Boundary::edge
                  : word == "reflect"  ? Boundary::reflect
                  : word == "periodic" ? Boundary::periodic
                                       : Boundary::symmetric;
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
