// The nodes of a graph as a job writes them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/graph/graph.hpp"
#include "pipeline/base/settings.hpp"
#include "pipeline/job/declaration.hpp"

namespace terrace::stages {

struct IterationText;  // iteration_text.hpp

/// A node before its operands are known. An iteration has a node for each of its states, one after another.
struct NodeText {
  std::string name;
  Place place = {};  // of its name
  int op = -1;       // number in graph::operators()
  graph::NodeSettings settings = {};
  std::optional<graph::Reduction> reduction = {};  // in place of the settings, without its value
  struct Operand {
    std::string name;
    Place place;
  };
  std::vector<Operand> operands = {};
  std::optional<Operand> like = {};         // whose size the result has
  std::optional<Operand> number = {};       // a reduction, for settings.known
  std::optional<ElementType> kept_as = {};  // the type that the job gives
  std::optional<Operand> formula = {};      // its text
  std::vector<std::string> names = {};      // of the operands in the formula
  std::shared_ptr<const IterationText> iteration = nullptr;
};

/// All nodes of a stage, or of an iteration.
struct NodeTexts {
  std::vector<std::string> inputs;     // names
  std::vector<NodeText> nodes;         // each after those that it depends on, if there is no finding
  std::vector<std::size_t> kept;       // numbers of nodes
  std::vector<job::Finding> findings;  // all errors of names and parameters
  const char* users = "kept node";     // that nodes are there for
};

/// Reads the boundary that a setting gives.
void read_boundary(const Settings& settings, const std::string& setting, graph::NodeSettings& made);

/// Reads the settings of a stage.
NodeTexts read_nodes(const Settings& settings);

/// The dataset of a node: of a state of an iteration i/u it is i_u.
std::string dataset_name(std::string node);

/// The end of an error about a name that no node has: the states of an iteration of that name, or a near name.
std::string near_node(const std::string& name, const std::vector<std::string>& names);

/// The texts of a setting, which is one or a list, with their places.
std::vector<NodeText::Operand> operands_in(const Settings& settings, const std::string& setting);

/// Reads one node (node_reader.cpp); adds to the findings. @param list the setting that names the nodes
NodeText read_node(const Settings& settings, const std::string& list, std::size_t number,
                   std::vector<job::Finding>& findings);

/// Adds the inputs of the job that nodes name, as the stage's `inputs`.
void find_inputs_of_graph(Settings& settings, const std::function<bool(const std::string&)>& is_input);

}  // namespace terrace::stages
