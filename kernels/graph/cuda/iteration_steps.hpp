// Iterations on CUDA, step by step.
#pragma once

#include <memory>
#include <vector>

#include "kernels/graph/cuda/iteration_passes.hpp"
#include "kernels/graph/cuda/node_steps.hpp"
#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

/// The memory of an iteration beside its operands and results: two buffers of the states, which take turns, and nodes
/// of the body. Offsets in bytes.
struct IterationMemory {
  std::vector<std::size_t> states[2];
  std::vector<std::size_t> nodes;  // of those that are beside (is_beside())
  std::size_t bytes = 0;
};

/// @param wanted the rows of the states after all steps @param pass_steps as GraphSpec has them, of a carrier; else 0
/// @param makes_nodes true if nodes of the body are made one after another
IterationMemory memory_of(const Iteration& iteration, const Rows& wanted, i64 pass_steps, bool makes_nodes);

/// The carry of an iteration (carry.hpp).
struct CarryMemory {
  std::byte* data = nullptr;
  i64 pass_steps = 0;  // 0: the iteration hands nothing on
};

/// The launches of an iteration, which are the same for all slabs.
struct IterationLaunches {
  std::shared_ptr<const IterationPasses> passes = nullptr;  // of several steps each, or:
  WrittenKernel joined;                                     // of JoinedFormula, or:
  std::vector<NodeLaunch> bodies;                           // of the body's nodes
  Launch copy;                                              // of rows of a value
};

/// An iteration of a graph, for all slabs.
class IterationSteps {
 public:
  /// @param numbers of the body's nodes, one after another
  IterationSteps(const Iteration& iteration, IterationLaunches launches, GraphState* state, std::byte* numbers);

  /// All steps of a slab. @param wanted the rows of all states @param operands of the
  /// iteration's nodes @param made of each state; without pieces: its values are not wanted @param beside memory as
  /// memory_of() has it
  ManySteps all(const Rows& wanted, std::vector<Pieces> operands, std::vector<Pieces> made, std::byte* beside,
                CarryMemory carry) const;

 private:
  class Slab;

  const Iteration& iteration_;
  IterationLaunches launches_;
  GraphState* state_;
  std::byte* numbers_;
  NodeSteps body_;
};

}  // namespace terrace::graph
