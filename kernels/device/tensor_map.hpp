// Maps of values in device memory, of which tensor copies (instructions.cuh) move boxes.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::device {

/// The description of memory for tensor copies, as the driver lays it out. A kernel gets it in a parameter that is
/// __grid_constant__.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

/// Rows of values, one after another, and a box of them.
struct TensorRows {
  void* data;               // at a multiple of 16 bytes
  int value_bytes;          // 4 or 8
  i64 width, rows;          // of the memory, in values; a row has a multiple of 16 bytes
  int box_width, box_rows;  // at most 256 each; a row of a box has a multiple of 16 bytes
};

/// Makes the map of rows for copies of that box. Copies bring zeros for what lies outside the rows, and write nothing
/// there. @return false if the driver or the device has no such maps, or refuses this one
/// @throws DeviceError when the driver cannot be asked
bool make_tensor_map(const TensorRows& rows, TensorMap& map);

}  // namespace terrace::device
