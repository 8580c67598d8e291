// The descriptor of a launch that streams windows of planes of a formula (window.cuh), and its kernel's sizes.
#pragma once

#include "kernels/stencil/cell.hpp"
#include "kernels/stencil/cuda/common/windows.hpp"
#include "kernels/stencil/cuda/planes/task.hpp"
#include "kernels/stencil/task.hpp"

namespace terrace::stencil {

/// The operands of formula F.
template <class F, class T>
struct WindowOperands {
  typename F::template Constants<T> constants;
  Additions<T> additions;
  FacesOf<T> faces[3];             // of the axes
  const StencilTask* block;        // has the constant arrays; in device memory
  i32 array[FormulaArrays::most];  // numbers of constant arrays, or -1
  i64 step;                        // steps made before
};

template <class F, class T>
using WindowTask = VolumeTask<T, F::fields, WindowOperands<F, T>>;

/// The most fields of a formula whose planes stream in windows: shared memory has no room for more.
inline constexpr int most_window_fields = 4;

/// The sizes of kernels that stream windows of planes. Not measured: those of one field without arrays are the sizes
/// of heat3d in two parts (CudaVolume::part_sizes), others have as many levels and lines as nvcc 13.0 finds registers
/// for.
/// @param kept values of a cell that a level keeps: the cell, and the one above it of fields of which it is read
/// @param arrays true if constant arrays are read @param fewer true for formulas whose values do not fit into
/// registers otherwise: fewer levels or lines
TERRACE_HOST_DEVICE constexpr measured::VolumeSizes window_sizes(int fields, int kept, bool arrays, int bytes,
                                                                 bool fewer) {
  measured::VolumeSizes sizes{2, 2, bytes == 8 ? 32 : 16, 8, fields > 3 ? 2 : 4, 1};
  if (fields == 1) sizes = {arrays ? 3 : 4, 4, bytes == 8 ? 32 : 16, 8, 4, 1};
  if (fields == 2) sizes = {2, arrays || kept > 3 ? 3 : 4, 32, 8, 4, 1};
  if (!fewer) return sizes;
  sizes.lanes = 16;
  if (sizes.levels > 2) sizes.levels = 2;
  else sizes.lines = sizes.lines / 2;
  return sizes;
}

/// Bytes of a thread's values in local memory from which on fewer are better; what is kept there while a place in
/// memory is looked up, which is seldom, are up to 480. Not measured.
inline constexpr int most_window_local_bytes = 512;

/// A kernel's frame. @param near as in volume_frame() @param arrays constant arrays, whose places are behind the
/// exchanged lines in shared memory
constexpr VolumeFrame window_frame(const measured::VolumeSizes& sizes, i32 fields, i32 near, i32 arrays, i32 bytes) {
  VolumeFrame frame = volume_frame(sizes, fields, near, 1, false, bytes);
  frame.shared_bytes += 16 * sizes.warps * arrays;
  return frame;
}

}  // namespace terrace::stencil
