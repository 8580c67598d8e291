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
  std::size_t bytes = 0;
};

/// The rooms of a slab. Inputs that are computed as they are stored have none. @param needed as rows_needed()
ValueRooms rooms_of(const Graph& graph, const std::vector<Rows>& needed);

/// Bytes of the rooms of any slab; of more than a few hundred slabs, of those at either end and in the middle:
/// heights of the others differ by what rounding gives, which some hundred slabs in a row show.
std::size_t most_room_bytes(const GraphSpec& spec);

}  // namespace terrace::graph
