// The steps that make the kept nodes of a slab on CUDA, one launch after another.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "kernels/graph/cuda/iteration_steps.hpp"
#include "kernels/graph/cuda/node_steps.hpp"
#include "kernels/graph/cuda/rooms.hpp"
#include "kernels/graph/cuda/step.hpp"
#include "kernels/graph/task.hpp"

namespace terrace::graph {

/// The launches of a graph by input, by node, by kept node and by reduction.
struct GraphLaunches {
  std::vector<Launch> loads, keeps;
  std::vector<NodeLaunch> nodes;
  std::map<int, IterationLaunches> iterations;  // by the value of their first node
  std::vector<std::vector<Launch>> reductions;  // one after another; of lists the first one is for the first slab
};

/// The memory that the kernels of all slabs share.
struct GraphMemory {
  GraphState* state;
  std::byte* numbers;   // of all nodes, one after another, as numbered_nodes() has them
  double* row_results;  // of a reduction, for all rows of a slab; of positions numbers of i64
  std::byte* rooms;
};

/// The nodes of a graph, then those of the bodies of its iterations.
std::vector<const Node*> numbered_nodes(const Graph& graph);

/// The launches of a slab, and by value where its rows are.
struct SlabWork {
  std::vector<Step> steps;
  std::vector<Pieces> pieces;
};

/// Makes the steps of slabs.
class SlabSteps {
 public:
  SlabSteps(const GraphSpec& spec, GraphLaunches launches, const GraphMemory& memory, Lifetimes lifetimes);

  /// In an order in which all that a step reads is made before. @throws DeviceError if a part is missing, or the
  /// rooms are too small
  SlabWork of(const GraphTask& task) const;

 private:
  class Slab;

  GraphSpec spec_;
  const Graph& graph_;
  GraphLaunches launches_;
  GraphMemory memory_;
  Lifetimes lifetimes_;
  std::size_t room_bytes_;
  NodeSteps nodes_;
  std::map<int, std::unique_ptr<IterationSteps>> iterations_;  // as GraphLaunches has them
};

}  // namespace terrace::graph
