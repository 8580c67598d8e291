// The parts of a graph: graphs that are computed one after another.
//
// Nodes whose values are stored are results of their part, and inputs of later parts. Numbers that reductions make
// are known to later parts. All other nodes are made again in each part that needs them.
//
// A stored iteration may be renewed: after the part that makes it comes one that makes its states again from
// themselves, which is computed a number of times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/graph/graph.hpp"
#include "pipeline/run/array.hpp"

namespace terrace::stages {

/// An array that parts read or write.
struct GraphArray {
  int value = 0;  // of the whole graph
  std::string name;
  ElementType type = ElementType::f32;
  graph::Shape shape;
  run::Role role = run::Role::scratch;
  int made_in = -1;     // the part that writes it first; -1: an input
  int renewed_in = -1;  // the part that makes it again from itself; -1: none
  int last_read = -1;   // the last part that reads it; -1: none
};

/// A graph whose values are arrays or numbers of the whole one.
struct GraphPart {
  std::shared_ptr<const graph::Graph> graph;
  std::vector<int> inputs, kept;  // arrays, for the graph's inputs and kept nodes
  std::vector<int> reductions;    // of the whole graph, for the graph's own
  std::vector<int> numbers;       // reductions of earlier parts whose numbers it takes
  std::int64_t times = 1;         // it is computed, one after another
};

struct GraphParts {
  std::shared_ptr<const graph::Graph> graph;  // that is cut
  std::vector<GraphArray> arrays;  // the inputs of the whole graph, its kept nodes, then those that are stored
  std::vector<GraphPart> parts;
};

/// Cuts a graph into as few parts as its stored nodes and its reductions allow.
/// @throws Error if a part has more arrays or numbers than a graph may
GraphParts cut_into_parts(std::shared_ptr<const graph::Graph> whole);

/// True if no part has more arrays or numbers than a graph may.
bool parts_fit(const graph::Graph& whole);

}  // namespace terrace::stages
