// The order of a graph's nodes.
#pragma once

#include "stages/kernel_graph/nodes.hpp"

namespace terrace::stages {

/// Puts nodes after those that they depend on, and leaves `kept` as it is meant. Finds names that are none, cycles,
/// nodes that no kept one depends on, and given inputs that no node reads.
void order_nodes(const Settings& settings, NodeTexts& made);

/// The same, apart from inputs. @return for each input whether a node reads it
std::vector<bool> order_nodes(NodeTexts& made);

}  // namespace terrace::stages
