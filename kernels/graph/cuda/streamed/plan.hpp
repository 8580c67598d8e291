// Iterations whose rows stream through registers on CUDA: which ones are, and with what sizes.
#pragma once

#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/graph/cuda/streamed/work.hpp"
#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

struct StreamedPlan {
  std::string unfit;           // the reason why it does not stream; empty: it does
  std::vector<int> constants;  // inputs of the body that no step changes, as the kernel has them
  std::vector<int> places;     // of each source: a state, or -1 - number of a constant; of unread ones 0
  std::vector<int> divisors;   // of constants, by their numbers, those whose reciprocals the kernel keeps beside them
  Boundary boundary = Boundary::edge;  // of the states
  double boundary_value = 0;
  StreamedSizes sizes{};

  /// The shared memory of a launch with so many warps.
  StreamedLayout layout(int states, i32 warps) const {
    return {32 * sizes.cells,
            states,
            static_cast<i32>(constants.size()),
            static_cast<i32>(divisors.size()),
            sizes.levels,
            warps,
            sizes.buffers,
            sizes.rows};
  }
};

StreamedPlan plan_stream(const Iteration& iteration, const device::Limits& limits);

/// The struct `name` with `cell` (cell_source()) as its base: the cell as cuda/streamed/kernel.cuh takes it.
///   make_quick(read, i, j, made, misses)   as make(), if there are divisors: by read.reciprocal(n) of divisor n,
///   where
///                                          misses allows it (values/known_divisor.hpp)
std::string streamed_cell_source(const std::string& name, const std::string& cell, const Iteration& iteration,
                                 const StreamedPlan& plan);

/// The name of the kernel of such a cell, with its sizes.
std::string streamed_kernel_name(const std::string& cell, const StreamedPlan& plan);

/// The rows of a thread block's chunk, of a launch of so many rows in so many tiles. @param resident thread blocks
/// that run at a time
i64 streamed_chunk_rows(i64 rows, i64 tiles, i64 resident, const StreamedLayout& layout);

}  // namespace terrace::graph
