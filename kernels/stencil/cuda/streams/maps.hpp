// The maps that tensor copies move the rows of a launch by.
#pragma once

#include <optional>

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

/// The maps of a launch of a kernel with the sizes of S (StreamLayout). Nothing if its rows are not at multiples of
/// 16 bytes, or the driver has no maps for them.
template <class S, class T, int fields>
std::optional<StreamMaps<fields>> maps_of(const StreamRows<T, fields>& task) {
  StreamMaps<fields> maps{};
  bool made = task.aligned != 0;
  const auto make = [&](const Lines<T>& lines, int chunks, device::TensorMap(&to)[StreamMaps<fields>::most_pieces]) {
    for (int piece = 0; made && piece < lines.pieces && piece < StreamMaps<fields>::most_pieces; ++piece) {
      const auto map = device::make_tensor_map({.data = lines.data[piece],
                                                .value_bytes = sizeof(T),
                                                .width = task.width,
                                                .rows = lines.rows_of(piece).count(),
                                                .box_width = chunks * S::chunk,
                                                .box_rows = S::rows});
      made = map.has_value();
      if (made) to[piece] = *map;
    }
  };
  for (int f = 0; f < fields; ++f) {
    make(task.from[f], S::part_chunks, maps.from[f]);
    make(task.to[f], S::middle_chunks, maps.to[f]);
    make(task.to[f], S::side_chunks, maps.sides[f]);
  }
  return made ? std::optional(maps) : std::nullopt;
}

}  // namespace terrace::stencil
