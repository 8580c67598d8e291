#include "stages/kernel_graph/problems.hpp"

#include <algorithm>

#include "kernels/graph/operators.hpp"
#include "pipeline/base/error.hpp"
#include "stages/kernel_graph/inputs.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

int ProblemGraph::input(std::string_view parameter) const {
  const auto at = std::ranges::find(graph_.inputs, parameter, &graph::Input::name);
  return static_cast<int>(at - graph_.inputs.begin());
}

graph::NodeSettings ProblemGraph::plain() const {
  graph::NodeSettings made;
  read_boundary(settings_, "boundary", made);
  return made;
}

int ProblemGraph::add(const std::string& name, std::string_view op, const std::vector<int>& operands,
                      std::vector<double> numbers, std::optional<graph::Shape> wanted) {
  graph::NodeSettings settings = plain();
  settings.numbers = std::move(numbers);
  return add(name, op, operands, std::move(settings), wanted);
}

int ProblemGraph::add(const std::string& name, std::string_view op, const std::vector<int>& operands,
                      graph::NodeSettings settings, std::optional<graph::Shape> wanted) {
  graph::Node node;
  node.name = name;
  node.op = graph::find_operator(op).value();
  node.operands = operands;
  node.settings = std::move(settings);
  const graph::OperatorInfo& info = graph::operators()[static_cast<std::size_t>(node.op)];
  node.settings.row_radius = std::max(node.settings.row_radius, info.radius);
  node.settings.column_radius = std::max(node.settings.column_radius, info.radius);
  std::vector<graph::Shape> shapes;
  shapes.reserve(operands.size());
  for (const int operand : operands) shapes.push_back(shape(operand));
  const std::string wrong = graph::take_shape(node, shapes, wanted);
  if (!wrong.empty()) throw Error(name + ": " + wrong);
  graph_.nodes.push_back(std::move(node));
  return graph_.values() - 1;
}

int ProblemGraph::reduce(graph::Reduction reduction) {
  graph_.reductions.push_back(std::move(reduction));
  return static_cast<int>(graph_.reductions.size()) - 1;
}

int ProblemGraph::store(int value) {
  graph_.nodes.at(static_cast<std::size_t>(value) - graph_.inputs.size()).is_stored = true;
  return value;
}

void ProblemGraph::keep(int value, std::optional<ElementType> type) {
  graph_.kept.push_back({value, type.value_or(graph_.type)});
}

std::span<const GraphProblem> graph_problems() {
  static const std::vector<GraphProblem> all = {harris_problem(), blend_problem(), horn_schunck_problem()};
  return all;
}

const GraphProblem* find_graph_problem(std::string_view name) {
  const auto all = graph_problems();
  const auto at = std::ranges::find(all, name, [](const GraphProblem& problem) { return problem.declaration.name; });
  return at == all.end() ? nullptr : &*at;
}

GraphDefinition define_problem(const Request& request, const GraphProblem& problem) {
  const Settings& settings = request.stage.settings;
  std::vector<std::string> faults;
  const auto stop_if_wrong = [&] {
    if (!faults.empty()) throw JobError(faults);
  };
  GraphDefinition made;
  graph::Graph graph;
  for (const Parameter& parameter : problem.declaration.parameters) {
    if (parameter.kind != ParameterKind::array || !settings.has(parameter.name)) continue;
    open_input(request, parameter.name, parameter.name, graph, made, faults);
  }
  stop_if_wrong();
  const auto is_wide = [](const graph::Input& input) { return input.type == ElementType::f64; };
  graph.type = type_of_graph(settings, std::ranges::any_of(graph.inputs, is_wide));
  ProblemGraph own(settings, graph);
  try {
    problem.build(own);
  } catch (const JobError&) {
    throw;
  } catch (const Error& error) {
    faults.push_back(fault_at(request, {}, error.what()));
  }
  for (const auto& [parameter, what] : own.faults()) {
    faults.push_back(fault_at(request, place_of(request.stage, parameter), what));
  }
  stop_if_wrong();
  made.parts = cut_into_parts(graph);
  made.graph = std::make_shared<const graph::Graph>(std::move(graph));
  return made;
}

}  // namespace terrace::stages
