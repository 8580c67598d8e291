// Conditions of the kernels that make several steps of a sum at once, and how many.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/stencil/cuda/common/lines.hpp"
#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stencil {

inline bool keeps_or_wraps(const Faces& faces) {
  return faces.low == faces.high && (faces.low == Face::fixed || faces.low == Face::periodic);
}

/// True if the rows begin at multiples of 16 bytes, and so do lines of that many values of which they consist.
template <class T>
bool is_aligned(const Lines<T>& lines, i64 line) {
  bool aligned = line * static_cast<i64>(sizeof(T)) % 16 == 0;
  for (i32 piece = 0; piece < lines.pieces; ++piece) {
    aligned = aligned && reinterpret_cast<std::uintptr_t>(lines.data[piece]) % 16 == 0;
  }
  return aligned;
}

/// True if lines of the last axis begin at multiples of 16 bytes where the grid's memory does.
inline bool has_aligned_lines(const StencilSpec& spec) {
  return spec.extents[2] * static_cast<i64>(size_of(spec.value)) % 16 == 0;
}

/// The levels of a slab that are made at once by a kernel that makes at most so many.
inline i64 levels_at_once(const StencilSpec& spec, const StencilTask& task, i64 most) {
  const i64 wanted = spec.depth > 0 ? std::min<i64>(most, spec.depth) : most;
  if (is_alone(task)) return wanted;
  // A slab hands on rows of its own alone (least_slab_rows()).
  return std::clamp<i64>(std::min<i64>(spec.slab_rows / least_slab_rows(spec.radius, 1), spec.at_once), 1, wanted);
}

}  // namespace terrace::stencil
