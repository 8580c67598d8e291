// The places of the values of a slab in the workspace of a kernel on CUDA.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/graph/graph.hpp"
#include "kernels/graph/rows.hpp"

namespace terrace::graph {

/// Offsets in bytes, by value. Values that do not live at a time may share memory.
struct ValueRooms {
  std::vector<std::size_t> at;
  std::vector<std::size_t> beside;  // of the first node of an iteration: what memory_of() has
  std::size_t bytes = 0;
};

/// The time in which values are in memory.
struct Lifetimes {
  std::vector<int> last;         // by value: the last value that is made while it is there
  std::vector<bool> has_memory;  // by value: false of one that is never in memory
  /// By value: false of the first node of an iteration whose body's nodes are never in memory.
  std::vector<bool> has_body;
};

/// The lifetimes of values where nodes are made one after another. Inputs that are computed as they are stored have
/// no memory.
Lifetimes lifetimes_of(const Graph& graph);

/// The rooms of a slab. @param needed as rows_needed()
ValueRooms rooms_of(const GraphSpec& spec, const std::vector<Rows>& needed, const Lifetimes& lifetimes);

/// Bytes of the rooms of any slab; of more than a few hundred slabs, of those at either end and in the middle:
/// heights of the others differ by what rounding gives, which some hundred slabs in a row show.
std::size_t most_room_bytes(const GraphSpec& spec, const Lifetimes& lifetimes);

}  // namespace terrace::graph
