// Problems whose graphs are made by code. To add one: a file in problems/ with a function that returns it, declared
// here and named in the table in problems.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/kernel_graph/definition.hpp"

namespace terrace::stages {

/// The graph of a problem in the making: its inputs are there, one for each parameter of kind `array` that the job
/// gives, in the order of the declarations.
class ProblemGraph {
 public:
  ProblemGraph(const Settings& settings, graph::Graph& graph) : settings_(settings), graph_(graph) {}

  const Settings& settings() const { return settings_; }
  ElementType type() const { return graph_.type; }
  graph::Shape shape(int value) const { return graph_.shape(value); }
  /// The value of the array that a parameter names.
  int input(std::string_view parameter) const;

  /// Adds a node. Its boundary is that of the settings, if they do not say another one.
  /// @return its value @throws JobError if the operands do not fit, at the stage's place
  int add(const std::string& name, std::string_view op, const std::vector<int>& operands,
          std::vector<double> numbers = {}, std::optional<graph::Shape> wanted = std::nullopt);
  int add(const std::string& name, std::string_view op, const std::vector<int>& operands,
          graph::NodeSettings settings, std::optional<graph::Shape> wanted = std::nullopt);
  /// The settings of a node with no parameters.
  graph::NodeSettings plain() const;
  /// Adds a reduction. @return its number among the graph's
  int reduce(graph::Reduction reduction);
  /// Makes the values of a node a dataset of its name. @param type nullopt: that of the graph
  void keep(int value, std::optional<ElementType> type = std::nullopt);

  /// Ends a part: the values of a node are stored for those that read them.
  int store(int value);

  /// Refuses the settings, at the place of a parameter.
  void fault(const std::string& parameter, const std::string& what) { faults_.emplace_back(parameter, what); }
  /// The faults of parameters.
  const std::vector<std::pair<std::string, std::string>>& faults() const { return faults_; }

 private:
  const Settings& settings_;
  graph::Graph& graph_;
  std::vector<std::pair<std::string, std::string>> faults_;
};

struct GraphProblem {
  job::ProblemDeclaration declaration;
  /// Adds the nodes, or faults.
  void (*build)(ProblemGraph& graph);
  /// The operators of its nodes that are not in graph::Operators.
  std::vector<std::string_view> cpu_operators = {};
};

std::span<const GraphProblem> graph_problems();
/// Null if there is none of that name.
const GraphProblem* find_graph_problem(std::string_view name);

/// @throws JobError with all that is wrong with the inputs, then with the settings
GraphDefinition define_problem(const Request& request, const GraphProblem& problem);

GraphProblem harris_problem();
GraphProblem blend_problem();
GraphProblem horn_schunck_problem();

}  // namespace terrace::stages
