// Launches of an iteration on CUDA that make several steps each.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/graph/cuda/launches.hpp"
#include "kernels/graph/cuda/pieces.hpp"

namespace terrace::graph {

/// Arrays that passes of an iteration read and write.
struct PassMemory {
  GraphState* state;
  const std::byte* numbers;           // of the body's nodes, one after another
  const std::vector<Pieces>& inputs;  // of the body
  const std::vector<Pieces>& made;    // of each state
};

class IterationPasses {
 public:
  virtual ~IterationPasses() = default;
  IterationPasses() = default;
  IterationPasses(const IterationPasses&) = delete;
  IterationPasses& operator=(const IterationPasses&) = delete;

  /// The steps of a pass; the last one of an iteration makes what is left.
  virtual i64 most_steps() const = 0;
  /// Makes rows of all states by so many steps.
  virtual void launch(Range rows, i64 steps, const PassMemory& memory, cudaStream_t stream) const = 0;
};

}  // namespace terrace::graph
