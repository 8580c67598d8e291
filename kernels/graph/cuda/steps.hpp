// The steps that make the kept nodes of a slab on CUDA, one launch after another.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/graph/cuda/launches.hpp"
#include "kernels/graph/cuda/rooms.hpp"
#include "kernels/graph/task.hpp"

namespace terrace::graph {

/// A launch that makes rows of a value, or stores them. Any rows of its work may be made alone, once all that they
/// read is made.
struct Step {
  int value;
  bool stores;  // the rows of a kept node
  Launch launch;
  Work work;
};

/// The launches of a graph by input, by node, by kept node and by reduction.
struct GraphLaunches {
  std::vector<Launch> loads, nodes, keeps;
  std::vector<std::vector<Launch>> reductions;  // one after another; of counts the first one is for the first slab
};

/// The memory that the kernels of all slabs share.
struct GraphMemory {
  GraphState* state;
  std::byte* numbers;   // of all nodes, one after another
  double* row_results;  // of a reduction, for all rows of a slab
  std::byte* rooms;
};

/// Makes the steps of slabs.
class SlabSteps {
 public:
  SlabSteps(const GraphSpec& spec, GraphLaunches launches, const GraphMemory& memory);

  /// In an order in which all that a step reads is made before. @throws DeviceError if a part is missing, or the
  /// rooms are too small
  std::vector<Step> of(const GraphTask& task) const;

 private:
  /// Rows of a value in memory, without rows between them that are missing.
  struct Piece {
    Range rows;
    RowsInMemory memory;
  };
  using Pieces = std::vector<Piece>;
  class Slab;

  GraphSpec spec_;
  const Graph& graph_;
  GraphLaunches launches_;
  GraphMemory memory_;
  std::size_t room_bytes_;
  std::vector<Work> nodes_;  // what is the same for all slabs
};

}  // namespace terrace::graph
