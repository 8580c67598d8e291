#include "stages/kernel_graph/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/operators.hpp"
#include "pipeline/base/error.hpp"
#include "stages/kernel_graph/inputs.hpp"
#include "stages/kernel_graph/moves.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

int ProblemGraph::input(std::string_view parameter) const {
  const auto at = std::ranges::find(graph_.inputs, parameter, &graph::Input::name);
  return static_cast<int>(at - graph_.inputs.begin());
}

graph::NodeSettings ProblemGraph::plain() const {
  graph::NodeSettings made;
  if (settings_.has("boundary") || settings_.has("boundary.value")) read_boundary(settings_, "boundary", made);
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

int ProblemGraph::reduce(graph::Reduction reduction) { return graph_.add(std::move(reduction)); }

void ProblemGraph::keep_quotient(const std::string& name, int dividend, int divisor, const std::string& help) {
  numbers_.push_back({name, help, dividend, divisor});
}

int ProblemGraph::store(int value) {
  graph_.nodes.at(static_cast<std::size_t>(value) - graph_.inputs.size()).is_stored = true;
  return value;
}

void ProblemGraph::keep(int value, std::optional<ElementType> type) {
  graph_.kept.push_back({value, type.value_or(graph_.type)});
}

void add_boundary_parameters(std::vector<Parameter>& parameters) {
  parameters.push_back({"boundary", ParameterKind::choice,
                        "values outside of arrays, as NumPy pads them (periodic: `wrap`); {value: x} is one value",
                        "symmetric", boundary_words});
  parameters.push_back({"boundary.value", ParameterKind::number, "everything outside has this value", nullptr});
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

namespace {

bool has_formulas(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const graph::Node& node) {
    return node.settings.formula || (node.settings.iteration && has_formulas(node.settings.iteration->body));
  });
}

/// Finds numbers that the type of the graph does not hold.
void find_large_numbers(const Request& request, const GraphProblem& problem, std::vector<std::string>& faults) {
  for (const Parameter& parameter : problem.declaration.parameters) {
    if (parameter.kind != ParameterKind::number || !request.stage.settings.has(parameter.name)) continue;
    const double number = request.stage.settings.number(parameter.name);
    if (std::abs(number) <= std::numeric_limits<float>::max()) continue;
    faults.push_back(fault_at(request, place_of(request.stage, parameter.name),
                              fmt::format("`{}` is {}, which is too large for f32, in which the graph is computed; "
                                          "give `type: f64`",
                                          parameter.name, number)));
  }
}

}  // namespace

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
    const auto open = parameter.name == problem.flow ? open_flow : open_input;
    open(request, parameter.name, parameter.name, graph, made, faults);
  }
  stop_if_wrong();
  const auto is_wide = [&](const graph::Input& input) {
    return input.type == ElementType::f64 && (problem.flow.empty() || !input.name.starts_with(problem.flow));
  };
  graph.type = type_of_graph(settings, std::ranges::any_of(graph.inputs, is_wide));
  if (graph.type == ElementType::f32) find_large_numbers(request, problem, faults);
  stop_if_wrong();
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
  made.numbers = own.numbers();
  for (const auto& [reduction, parameter] : own.limits()) made.limits[reduction] = settings.place(parameter);
  take_graph(request, std::move(graph), made);
  return made;
}

bool has_formulas(const Settings& settings, const GraphProblem& problem) {
  // Images of this size have most levels of a pyramid that a job may ask for.
  constexpr graph::Shape large{std::int64_t{1} << 24, std::int64_t{1} << 24};
  graph::Graph graph;
  for (const Parameter& parameter : problem.declaration.parameters) {
    if (parameter.kind != ParameterKind::array || !settings.has(parameter.name)) continue;
    const std::string name = parameter.name;
    if (name != problem.flow) graph.inputs.push_back({name, graph.type, large});
    else
      for (const char* component : {"/u", "/v"}) graph.inputs.push_back({name + component, graph.type, large});
  }
  ProblemGraph own(settings, graph);
  problem.build(own);
  return has_formulas(graph);
}

}  // namespace terrace::stages
