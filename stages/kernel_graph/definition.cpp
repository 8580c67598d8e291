#include "stages/kernel_graph/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernels/formula/syntax.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/inputs.hpp"
#include "stages/kernel_graph/iteration_text.hpp"
#include "stages/kernel_graph/moves.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/kernel_graph/problems.hpp"

namespace terrace::stages {
namespace {

using graph::Graph;
using graph::Shape;

class GraphDefiner {
 public:
  explicit GraphDefiner(const Request& request)
      : request_(request), settings_(request.stage.settings), texts_(read_nodes(settings_)) {}

  GraphDefinition define() && {
    for (const std::string& name : texts_.inputs) {
      whole_.values.emplace(name, whole_.graph.values());
      open_input(request_, name, "inputs." + name, whole_.graph, made_, faults_);
    }
    stop_if_wrong();
    choose_type();
    for (const NodeText& node : texts_.nodes) add_node(whole_, node);
    stop_if_wrong();
    keep();
    take_graph(request_, std::move(whole_.graph), made_);
    return std::move(made_);
  }

 private:
  void fault(const Place& place, const std::string& what) { faults_.push_back(fault_at(request_, place, what)); }
  void stop_if_wrong() const {
    if (!faults_.empty()) throw JobError(faults_);
  }

  void choose_type() {
    const auto is_operand = [&](const std::string& input) {
      return std::ranges::any_of(texts_.nodes, [&](const NodeText& node) {
        return std::ranges::count(node.operands, input, &NodeText::Operand::name) > 0;
      });
    };
    const auto is_wide = [&](const graph::Input& input) {
      return input.type == ElementType::f64 && is_operand(input.name);
    };
    whole_.graph.type = type_of_graph(settings_, std::ranges::any_of(whole_.graph.inputs, is_wide));
  }

  /// A graph as it grows: the whole one, or the body of an iteration.
  struct Growing {
    Graph graph = {};
    std::map<std::string, int> values = {};

    void add_input(const std::string& name, const graph::Input& input) {
      values.emplace(name, graph.values());
      graph.inputs.push_back(input);
    }
  };

  /// Adds a node whose operands are there; one that depends on a wrong node is left out.
  void add_node(Growing& to, const NodeText& text) {
    graph::Node node;
    node.name = text.name;
    node.op = text.op;
    node.settings = text.settings;
    std::vector<Shape> shapes;
    for (const NodeText::Operand& operand : text.operands) {
      const auto value = to.values.find(operand.name);
      if (value == to.values.end()) return;
      node.operands.push_back(value->second);
      shapes.push_back(to.graph.shape(value->second));
    }
    if (text.reduction) return add_reduction(*text.reduction, node.operands.at(0));
    if (text.number) {
      const auto number = numbers_.find(text.number->name);
      if (number == numbers_.end()) return;
      node.settings.known.at(0).number = number->second;
    }
    std::optional<Shape> wanted;
    if (text.like) {
      const auto value = to.values.find(text.like->name);
      if (value == to.values.end()) return;
      wanted = to.graph.shape(value->second);
    }
    for (const double number : text.settings.numbers) refuse_large(text, number);
    refuse_large(text, text.settings.boundary_value);
    if (text.formula && !add_formula(text, shapes.front(), node)) return;
    const std::string wrong = graph::take_shape(node, shapes, wanted);
    if (!wrong.empty()) return fault(text.place, "node " + quote(text.name) + ": " + wrong);
    if (text.iteration && !add_iteration(to, text, node)) return;
    to.values[text.name] = to.graph.values();
    to.graph.nodes.push_back(std::move(node));
  }

  bool add_formula(const NodeText& text, Shape shape, graph::Node& node) {
    try {
      const auto formula = graph::parse_node_formula(text.formula->name, text.names, shape, whole_.graph.type);
      node.settings = graph::settings_of(formula, text.settings.boundary, text.settings.boundary_value);
      return true;
    } catch (const formula::Fault& wrong) {
      fault(inside(text.formula->place, wrong.at), "node " + quote(text.name) + ": " + wrong.what);
      return false;
    }
  }

  /// The states of an iteration share it. @param to the graph of the node
  bool add_iteration(const Growing& to, const NodeText& text, graph::Node& node) {
    if (text.settings.state > 0) {
      const graph::Node& first =
          to.graph.nodes.at(to.graph.nodes.size() - static_cast<std::size_t>(text.settings.state));
      node.settings = graph::settings_of(first.settings.iteration, text.settings.state);
      return true;
    }
    const std::size_t faults = faults_.size();
    Growing body;
    body.graph.type = whole_.graph.type;
    const IterationText& own = *text.iteration;
    for (const auto* names : {&own.states, &own.outer}) {
      for (const std::string& name : *names) body.add_input(name, {name, body.graph.type, node.shape});
    }
    for (const NodeText& inner : own.body.nodes) add_node(body, inner);
    if (faults_.size() > faults) return false;
    graph::Iteration made;
    for (const std::string& next : own.next) made.next.push_back(body.values.at(next));
    made.body = std::move(body.graph);
    made.times = own.times;
    graph::complete(made);
    node.settings = graph::settings_of(std::make_shared<const graph::Iteration>(std::move(made)), 0);
    return true;
  }

  void add_reduction(graph::Reduction reduction, int value) {
    reduction.value = value;
    const std::string name = reduction.name;
    numbers_[name] = whole_.graph.add(std::move(reduction));
  }

  void refuse_large(const NodeText& text, double number) {
    if (whole_.graph.type == ElementType::f64 || std::abs(number) <= std::numeric_limits<float>::max()) return;
    fault(text.place, "node " + quote(text.name) + ": " + fmt::format("{}", number) +
                          " is too large for f32, in which the graph is computed; give `type: f64`");
  }

  void keep() {
    for (const std::size_t number : texts_.kept) {
      const NodeText& text = texts_.nodes[number];
      if (!text.reduction)
        whole_.graph.kept.push_back({whole_.values.at(text.name), text.kept_as.value_or(whole_.graph.type)});
      else keep_reduction(text);
    }
  }

  /// Counts are arrays of the result in any case.
  void keep_reduction(const NodeText& text) {
    const int number = numbers_.at(text.name);
    const std::string most = "nodes." + text.name + ".most";
    if (text.reduction->makes == graph::Makes::number) {
      made_.numbers.push_back({text.name, "node " + text.name + ": " + graph::Reduce::name, number});
    } else if (text.reduction->makes == graph::Makes::positions) {
      made_.limits[number] = settings_.has(most) ? settings_.place(most) : text.place;
    }
  }

  const Request& request_;
  const Settings& settings_;
  NodeTexts texts_;
  Growing whole_;
  GraphDefinition made_;
  std::map<std::string, int> numbers_;  // of the graph's reductions
  std::vector<std::string> faults_;
};

}  // namespace

GraphDefinition define_graph(const Request& request) {
  const GraphProblem* problem = find_graph_problem(request.stage.problem);
  return problem != nullptr ? define_problem(request, *problem) : GraphDefiner(request).define();
}

}  // namespace terrace::stages
