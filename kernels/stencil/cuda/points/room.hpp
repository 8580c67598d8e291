// The room in which cells around points are made again on CUDA (points/kernel.cuh), and how many there are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/stencil/cuda/points/lists.hpp"
#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/points.hpp"

namespace terrace::stencil {

/// Cells of a patch, at most, and bytes of those of all thread blocks that are not in shared memory, unless one needs
/// more. Not measured.
inline constexpr std::int64_t most_patch_cells = 1 << 18, most_patch_bytes = 64 << 20;

/// Cells along an axis of the largest patch, that of a source, of a launch that makes so many levels, with those
/// beyond the grid's faces.
inline std::int64_t patch_side(const StencilSpec& spec, int axis, std::int64_t levels) {
  const auto a = static_cast<std::size_t>(axis);
  const bool exists = axis == 0 || (axis == 1 ? spec.rank == 3 : spec.rank >= 2);
  if (!exists) return 1;
  const std::int64_t side = (4 * levels - 2) * spec.radius + 1;
  return spec.faces[a].low == Face::periodic ? side : std::min(side, spec.extents[a] + 2 * spec.radius);
}
inline std::int64_t patch_cells(const StencilSpec& spec, std::int64_t levels) {
  return patch_side(spec, 0, levels) * patch_side(spec, 1, levels) * patch_side(spec, 2, levels);
}

/// The most levels of a launch of a stencil with points.
inline std::int64_t most_patch_levels(const StencilSpec& spec) {
  std::int64_t levels = most_steps_at_once;
  while (levels > 1 && patch_cells(spec, levels) > most_patch_cells) --levels;
  return levels;
}

/// The largest patch of a launch that makes so many levels, at most most_patch_levels().
inline PatchShape patch_shape(const StencilSpec& spec, std::int64_t levels) {
  const auto side = [&](int axis) { return static_cast<std::int32_t>(patch_side(spec, axis, levels)); };
  PatchShape shape{};
  // In two dimensions the halves of a warp have cells 4 lines apart, which lie in other banks.
  shape.line = spec.rank == 2 && side(2) > 32 ? (side(2) + 3) / 8 * 8 + 4 : side(2);
  shape.plane = shape.line * side(1);
  shape.field = shape.plane * side(0);
  // A thread makes cells of several planes, some behind the last one; what it reads there no other thread writes.
  const std::int32_t behind = measured::CudaStep::cells * shape.plane;
  shape.level = shape.field * spec.fields() + behind;
  shape.arrays = spec.arrays;
  shape.values = 2 * shape.level + (shape.arrays > 0 ? shape.arrays * shape.field + behind : 0);
  return shape;
}

/// Values of the room of a thread block.
inline std::int64_t patch_values(const StencilSpec& spec, std::int64_t levels) {
  return patch_shape(spec, levels).values;
}

/// Bytes of shared memory for the patches of a launch of so many levels; 0: they do not fit.
/// @param shared bytes that a thread block may have
inline std::size_t patch_shared_bytes(const StencilSpec& spec, std::int64_t levels, std::size_t shared) {
  const std::size_t bytes = static_cast<std::size_t>(patch_values(spec, levels)) * size_of(spec.value);
  return bytes + patch_shared_rest <= shared ? bytes : 0;
}

/// Thread blocks that have room in device memory at a time in a launch of so many levels.
inline std::int64_t patch_blocks(const StencilSpec& spec, std::int64_t levels) {
  const std::int64_t points = std::ssize(spec.points->sources) + std::ssize(spec.points->receivers);
  const std::int64_t bytes = patch_values(spec, levels) * static_cast<std::int64_t>(size_of(spec.value));
  return std::clamp<std::int64_t>(most_patch_bytes / bytes, 1, std::max<std::int64_t>(1, points));
}

/// Bytes of device memory of all thread blocks of a kernel that makes at most so many levels at a time.
inline std::size_t patch_bytes(const StencilSpec& spec, std::int64_t most_levels, std::size_t shared) {
  std::int64_t values = 0;
  for (std::int64_t levels = std::min(most_levels, most_patch_levels(spec)); levels > 0; --levels) {
    if (patch_shared_bytes(spec, levels, shared) > 0) break;  // so do those of fewer levels
    values = std::max(values, patch_blocks(spec, levels) * patch_values(spec, levels));
  }
  return static_cast<std::size_t>(values) * size_of(spec.value);
}

/// Cells that are made again for the points of a launch of so many levels.
inline double patch_updates(const StencilSpec& spec, std::int64_t levels) {
  const auto sources = static_cast<double>(spec.points->sources.size());
  const auto receivers = static_cast<double>(spec.points->receivers.size());
  double updates = 0;
  for (std::int64_t level = 1; level <= levels; ++level) {
    const auto cells = [&](std::int64_t reach) {
      return std::pow(2 * static_cast<double>(reach * spec.radius) + 1, spec.rank);
    };
    updates += sources * cells(2 * levels - level - 1) + receivers * cells(levels - level);
  }
  return updates;
}

}  // namespace terrace::stencil
