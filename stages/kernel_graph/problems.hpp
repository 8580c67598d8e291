// Problems whose graphs are made by code. To add one: a file in problems/ with a function that returns it, declared
// here and named in the table in problems.cpp.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/kernel_graph/definition.hpp"

namespace terrace::stages {

/// The graph of a problem in the making: its inputs are there, one for each parameter of kind `array` that the job
/// gives, in the order of the declarations; of a flow two, PARAMETER/u and PARAMETER/v.
class ProblemGraph {
 public:
  ProblemGraph(const Settings& settings, graph::Graph& graph) : settings_(settings), graph_(graph) {}

  const Settings& settings() const { return settings_; }
  ElementType type() const { return graph_.type; }
  graph::Shape shape(int value) const { return graph_.shape(value); }
  /// The value of the array that a parameter names, or of a component of a flow.
  int input(std::string_view parameter) const;

  /// Adds a node. Its boundary is that of the settings, if they do not say another one.
  /// @return its value @throws JobError if the operands do not fit, at the stage's place
  int add(const std::string& name, std::string_view op, const std::vector<int>& operands,
          std::vector<double> numbers = {}, std::optional<graph::Shape> wanted = std::nullopt);
  int add(const std::string& name, std::string_view op, const std::vector<int>& operands,
          graph::NodeSettings settings, std::optional<graph::Shape> wanted = std::nullopt);
  /// The settings of a node with no parameters; of a problem without `boundary` it mirrors.
  graph::NodeSettings plain() const;
  /// Adds a reduction. @return its number among the graph's
  int reduce(graph::Reduction reduction);
  /// Makes the values of a node a dataset of its name. @param type nullopt: that of the graph
  void keep(int value, std::optional<ElementType> type = std::nullopt);

  /// Names the parameter that gives the most positions that a reduction may list.
  void limit(int reduction, const std::string& parameter) { limits_[reduction] = parameter; }
  const std::map<int, std::string>& limits() const { return limits_; }
  /// Makes the quotient of two reductions a number of the result.
  void keep_quotient(const std::string& name, int dividend, int divisor, const std::string& help);

  /// Ends a part: the values of a node are stored for those that read them.
  int store(int value);

  /// The numbers of the result.
  const std::vector<KeptNumber>& numbers() const { return numbers_; }

  /// Refuses the settings, at the place of a parameter.
  void fault(const std::string& parameter, const std::string& what) { faults_.emplace_back(parameter, what); }
  /// The faults of parameters.
  const std::vector<std::pair<std::string, std::string>>& faults() const { return faults_; }

 private:
  const Settings& settings_;
  graph::Graph& graph_;
  std::vector<KeptNumber> numbers_;
  std::map<int, std::string> limits_;
  std::vector<std::pair<std::string, std::string>> faults_;
};

struct GraphProblem {
  job::ProblemDeclaration declaration;
  /// Adds the nodes, or faults.
  void (*build)(ProblemGraph& graph);
  /// The parameter whose array is a flow, of rows x columns x 2; all others are images.
  std::string_view flow = {};
};

std::span<const GraphProblem> graph_problems();
/// Null if there is none of that name.
const GraphProblem* find_graph_problem(std::string_view name);

/// @throws JobError with all that is wrong with the inputs, then with the settings
GraphDefinition define_problem(const Request& request, const GraphProblem& problem);

/// True if nodes that a problem makes with these settings are formulas, whatever the sizes of its inputs are; false
/// if the settings are wrong.
bool has_formulas(const Settings& settings, const GraphProblem& problem);

/// The words of `boundary`.
inline constexpr const char* boundary_words = "symmetric, edge, reflect, periodic";
/// Adds `boundary`, of graphs in which the job chooses it.
void add_boundary_parameters(std::vector<Parameter>& parameters);

GraphProblem harris_problem();
GraphProblem blend_problem();
GraphProblem horn_schunck_problem();

}  // namespace terrace::stages
