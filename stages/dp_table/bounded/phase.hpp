// The phases of a table whose steps are bounded, and the accesses of their blocks.
#pragma once

#include <cstdint>

#include "kernels/dp_table/bounded_task.hpp"
#include "pipeline/run/phase.hpp"

namespace terrace::stages {

/// Names of the accesses of a block.
enum class BoundedSlot { elements, below, taken, cells, saved };

/// The work of a phase.
struct BoundedPhase {
  std::int64_t work;         // dp_table::BoundedWork
  std::int64_t first, end;   // passes
  std::int64_t cell;         // the bit of the cell where the way back stands, if it has begun
  std::int64_t generation;   // of the elements before the phase; 0: they are made for the first time
  std::int64_t leaf;         // the number of elements that are stored
  std::int64_t keeps_bits;   // 1: of what the passes take
  std::int64_t is_last_use;  // 1: of elements that were stored

  dp_table::BoundedWork what() const { return static_cast<dp_table::BoundedWork>(work); }
};

inline BoundedPhase bounded_phase(const run::Phase& phase) { return phase.value.as<BoundedPhase>(); }

}  // namespace terrace::stages
