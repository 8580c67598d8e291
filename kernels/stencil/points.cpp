#include "kernels/stencil/points.hpp"

#include <algorithm>

#include "kernels/stencil/operators.hpp"

namespace terrace::stencil {

bool is_kept_by_faces(const StencilSpec& spec, const Points::Cell& cell) {
  const OperatorInfo* info = find_operator(spec.name);
  if (!spec.written && info != nullptr && info->own_faces) return false;
  for (std::size_t axis = 0; axis < most_rank; ++axis) {
    const Faces& faces = spec.faces[axis];
    if (is_kept(cell[axis], spec.extents[axis], spec.radius, faces.low, faces.high)) return true;
  }
  return false;
}

std::vector<Points::Source> sources_by_cell(const StencilSpec& spec) {
  if (!spec.points) return {};
  std::vector<Points::Source> sources = spec.points->sources;
  std::erase_if(sources, [&](const Points::Source& source) { return is_kept_by_faces(spec, source.cell); });
  std::ranges::stable_sort(sources, {}, &Points::Source::cell);
  return sources;
}

}  // namespace terrace::stencil
