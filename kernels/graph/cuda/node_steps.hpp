// The steps that make nodes of a graph on CUDA, of what is the same for all slabs.
#pragma once

#include <vector>

#include "kernels/graph/cuda/pieces.hpp"
#include "kernels/graph/cuda/step.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/graph/node_formula.hpp"

namespace terrace::graph {

/// An array that a formula reads.
struct WrittenSource {
  FormulaSource from;
  formula::Reach reach;
  bool is_read;  // else no row of it needs to be there
};

/// The kernel of a formula; without launch: there is no formula.
struct WrittenKernel {
  WrittenLaunch launch = nullptr;
  std::vector<WrittenSource> sources = {};
  Area inner = {};  // the cells that read nothing outside of the sources
};

/// The launch of a node: of its operator, or of its formula; nodes of iterations have none.
struct NodeLaunch {
  Launch cells = nullptr;
  WrittenKernel written = {};
};

/// The kernel of a formula of arrays of a shape.
WrittenKernel written_kernel(WrittenLaunch launch, const formula::Formula& cells,
                             const std::vector<FormulaSource>& sources, Shape shape);

/// The work of a formula. @param inputs what its sources are numbers of @param made the rows of its results
WrittenWork written_work(const WrittenKernel& kernel, const GraphState* state, Shape shape, Range rows,
                         const std::vector<Pieces>& inputs, const std::vector<Pieces>& made);

/// The memory that this work touches. @param type of all values
std::vector<Touch> touches_of_written(const WrittenKernel& kernel, Shape shape, ElementType type, Range rows,
                                      const std::vector<Pieces>& inputs, const std::vector<Pieces>& made);

/// The nodes of a graph that are made from their operands by a launch.
class NodeSteps {
 public:
  /// @param known of the spec (GraphSpec) @param launches by node @param numbers of all nodes, one after another
  NodeSteps(const Graph& graph, std::vector<double> known, std::vector<NodeLaunch> launches, GraphState* state,
            std::byte* numbers);

  /// Makes rows of a node. @param pieces of all values of the graph that the rows are made from, and of the node
  Step make(int value, Range rows, const std::vector<Pieces>& pieces) const;

 private:
  Step make_written(int value, Range rows, const std::vector<Pieces>& pieces) const;
  void point_outside(Work& work, const Pieces& pieces, Range rows) const;

  const Graph& graph_;
  std::vector<double> known_;
  std::vector<NodeLaunch> launches_;
  std::vector<Work> works_;  // what is the same for all slabs
};

}  // namespace terrace::graph
