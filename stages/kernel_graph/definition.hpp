// From a job to a graph of kernels with its inputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "kernels/graph/graph.hpp"
#include "stages/kernel_graph/parts.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

struct GraphDefinition {
  std::shared_ptr<const graph::Graph> graph;
  GraphParts parts;
  std::vector<int> kept_numbers;  // reductions of the graph that are results
  std::vector<std::shared_ptr<io::Source>> inputs;
  std::vector<std::string> arrays;  // names of the inputs in the job
  std::vector<Place> places;        // of the inputs in the job
};

/// @throws JobError with all inputs that are no images, and all nodes whose operands do not fit
GraphDefinition define_graph(const Request& request);

}  // namespace terrace::stages
