// The maps that tensor copies move the rows of a launch by.
#pragma once

#include "kernels/device/tensor_map.hpp"
#include "kernels/stencil/cuda/streams/task.hpp"

namespace terrace::stencil {

/// Maps of pieces of memory. Batches of others are moved row by row.
template <int fields>
struct StreamMaps {
  static constexpr int most_pieces = 3;
  device::TensorMap from[fields][most_pieces];
  device::TensorMap to[fields][most_pieces];     // of the cells between the sides of a tile
  device::TensorMap sides[fields][most_pieces];  // the same memory, of the cells of a side
};

/// Makes the maps of a launch of a kernel with the sizes of S (StreamLayout). @return false if its rows are not at
/// multiples of 16 bytes, or the driver has no maps for them
template <class S, class T, int fields>
bool make_maps(const StreamRows<T, fields>& task, StreamMaps<fields>& maps) {
  constexpr int most_pieces = StreamMaps<fields>::most_pieces;
  const auto make = [&](const Lines<T>& lines, int chunks, device::TensorMap(&to)[most_pieces]) {
    bool made = true;
    for (int piece = 0; made && piece < lines.pieces && piece < most_pieces; ++piece) {
      made = device::make_tensor_map({.data = lines.data[piece],
                                      .value_bytes = sizeof(T),
                                      .width = task.width,
                                      .rows = lines.rows_of(piece).count(),
                                      .box_width = chunks * S::chunk,
                                      .box_rows = S::rows},
                                     to[piece]);
    }
    return made;
  };
  bool made = task.aligned != 0;
  for (int f = 0; made && f < fields; ++f) {
    made = make(task.from[f], S::part_chunks, maps.from[f]) && make(task.to[f], S::middle_chunks, maps.to[f]) &&
           make(task.to[f], S::side_chunks, maps.sides[f]);
  }
  return made;
}

}  // namespace terrace::stencil
