// Rows of a value on the CPU.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/graph/rows.hpp"

namespace terrace::graph {

/// Rows of a value, one after another in the order of their numbers in `rows`; or the last rows of a value, in a
/// ring.
template <class T>
struct StoredRows {
  const Rows* rows = nullptr;  // null: a ring
  T* data = nullptr;
  i64 columns = 0;
  i64 pitch = columns;    // elements from row to row
  device::u32 slots = 0;  // rows of the ring

  T* row(i64 at) const {
    const i64 number = rows != nullptr ? rows->number_of(at) : static_cast<device::u32>(at) % slots;
    return data + number * pitch;
  }
};

}  // namespace terrace::graph
