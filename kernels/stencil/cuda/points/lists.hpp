// The points of a stencil in the memory of a device.
#pragma once

#include "kernels/stencil/task.hpp"

namespace terrace::stencil {

/// Bytes of shared memory that a thread block of points has beside its cells, at most.
inline constexpr unsigned patch_shared_rest = 10 << 10;

/// The cell of a source or a receiver, and where its values are.
struct PointPlace {
  i64 index[most_rank];
  i64 first;  // of a source: place of the value of step 0; of a receiver: number of its part
  i32 field;
};

/// Where the values of a patch are (patch.cuh): two levels, each with its fields one after another, and constant
/// arrays.
struct PatchShape {
  i32 line, plane, field, level;  // values from a line, plane, field or array, and level to the next
  i32 arrays;                     // number of constant arrays
  i32 values;                     // of all
};

/// The points of a stencil.
template <class T>
struct PointLists {
  const PointPlace* sources;  // sorted by cell, those of one cell in the order in which they are added
  const PointPlace* receivers;
  const T* values;
  i64 source_count, receiver_count;
  i64 every;   // steps from one recorded time to the next
  T* patches;  // room in which thread blocks make cells again (room.hpp)
};

}  // namespace terrace::stencil
