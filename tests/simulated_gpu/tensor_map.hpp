// Maps of tensors of the simulated device: rows in memory, of which copies move boxes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simulated_gpu {

/// The contents of a map.
struct TensorMap {
  unsigned char* data;
  std::uint64_t width, rows, stride;  // values, rows, bytes
  std::uint32_t box_width, box_rows, value_bytes, is_map;

  std::size_t box_bytes() const { return std::size_t{box_width} * box_rows * value_bytes; }
};

/// The map in these bytes, for a copy to or from that place in the thread block's shared memory. Ends the program
/// with a message unless it is a map, and the place one that tensor copies can use.
const TensorMap& tensor_map_of(const unsigned char* bytes, const void* shared);

/// Copies the box at a column and a row; zeros take the place of what lies outside the map.
void bring_box(const TensorMap& map, int column, int row, void* shared);
/// Copies a box into the map, as far as it lies in it.
void write_box(const TensorMap& map, int column, int row, const void* shared);

}  // namespace simulated_gpu
