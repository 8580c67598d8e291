// The memory of planes that a thread block reads or writes.
#pragma once

#include "kernels/stencil/cuda/planes/task.hpp"

namespace terrace::stencil {

/// The memory of planes that follow one another: plane n is at `plane_0` + n * width, for n below `end`.
template <class T>
struct VolumeMemory {
  T* plane_0;
  i32 end;
};

/// @param plane of the grid that takes the place of plane `number` @param planes that follow one another
template <class T>
__device__ __forceinline__ VolumeMemory<T> memory_in(const Lines<T>& lines, i64 width, i64 plane, i32 number,
                                                     i64 planes) {
  const i64 end = number + planes;
  return {lines.row(plane, width) - number * width, static_cast<i32>(end < 1 << 30 ? end : 1 << 30)};
}

/// The memory of a plane of the grid that is read, and of those after it. Not inlined: it is seldom called.
/// @param plane of the grid; of a periodic grid it may lie beyond its ends @param number as the caller counts it
template <class T, class Task>
__device__ __noinline__ VolumeMemory<T> memory_from(const Task& task, i32 field, i64 plane, i32 number) {
  if (task.wraps_rows != 0) {
    while (plane < 0) plane += task.extent;
    while (plane >= task.extent) plane -= task.extent;
  }
  const Lines<T>& from = task.from[field];
  // Planes beyond those that there are contribute to nothing that is written: another one takes their place.
  const bool is_there = plane >= from.begin[0] && plane < from.end;
  if (!is_there) plane = plane < from.begin[0] ? from.begin[0] : from.end - 1;
  return memory_in(from, task.width, plane, number, is_there ? from.rows_of(from.piece_of(plane)).end - plane : 1);
}

/// The same of a plane that is written.
template <class T, class Task>
__device__ __noinline__ VolumeMemory<T> memory_to(const Task& task, i32 field, i64 plane, i32 number) {
  const Lines<T>& to = task.to[field];
  return memory_in(to, task.width, plane, number, to.rows_of(to.piece_of(plane)).end - plane);
}

}  // namespace terrace::stencil
