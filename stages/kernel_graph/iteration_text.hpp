// Iterations of a graph as a job writes them.
#pragma once

#include <string>
#include <vector>

#include "stages/kernel_graph/nodes.hpp"

namespace terrace::stages {

/// The operands of its nodes are the first values of the states, then `outer`.
struct IterationText {
  std::vector<std::string> states;
  NodeTexts body;                  // its inputs: the states, then names outside
  std::vector<std::string> next;   // of each state, a node of the body or a state
  std::vector<std::string> outer;  // names outside that the body reads
  std::int64_t times = 0;
};

/// Reads an iteration and adds a node for each of its states, with what is wrong. @param node its name and place
void add_states(const Settings& settings, const NodeText& node, NodeTexts& made);

}  // namespace terrace::stages
