// Conditions of the kernels that make several steps of a sum at once, and how many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/stencil/cuda/blocks/lines.hpp"
#include "kernels/stencil/cuda/formulas/task.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/separable.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stencil {

/// Constant arrays that a kernel of windows of rows reads (FormulaArrays): none, the formula's own one, also those of
/// all formulas, or all.
inline i32 formula_arrays(const StencilSpec& spec) {
  const std::size_t own = spec.written ? own_arrays(*spec.written).size() : spec.given.empty() ? 0 : 1;
  if (own > 1) return FormulaArrays::most;
  return spec.source >= 0 || spec.mask >= 0 ? FormulaArrays::count : static_cast<i32>(own);
}

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

/// The levels of a slab that are made at once by a kernel that makes at most so many.
inline i64 levels_at_once(const StencilSpec& spec, const StencilTask& task, i64 most) {
  const i64 wanted = spec.depth > 0 ? std::min<i64>(most, spec.depth) : most;
  // A slab hands on rows of its last tile alone.
  return task.whole != 0 ? wanted : std::clamp<i64>(spec.tile_rows() / (2 * spec.radius), 1, wanted);
}

}  // namespace terrace::stencil
