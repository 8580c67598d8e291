// From a job to a graph of kernels with its inputs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "kernels/graph/graph.hpp"
#include "stages/kernel_graph/parts.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// A number of the result: what a reduction makes, or that of one over that of another.
struct KeptNumber {
  std::string name, help;
  int dividend = 0;  // of the graph's reductions
  int divisor = -1;  // -1: the number is not divided
};

struct GraphDefinition {
  std::shared_ptr<const graph::Graph> graph;
  GraphParts parts;
  std::vector<std::int64_t> part_steps = {};  // that parts make of each iteration (iteration_parts.hpp)
  std::vector<KeptNumber> numbers;
  std::map<int, Place> limits;  // of reductions that list positions, by number: where the most of them is given
  std::vector<std::shared_ptr<io::Source>> inputs;
  std::vector<std::string> arrays;                          // names of the inputs in the job
  std::vector<Place> places;                                // of the inputs in the job
  std::shared_ptr<const graph::TimeTable> times = nullptr;  // of the device, if they have been measured
  compiled::CxxCompiler compiler = {};                      // of formulas for the CPU
};

/// @throws JobError with all inputs that are no images, and all nodes whose operands do not fit
GraphDefinition define_graph(const Request& request);

}  // namespace terrace::stages
