#include "kernels/stencil/cuda/planes/volumes.hpp"

#include <algorithm>

#include "kernels/stencil/cuda/common/choice.hpp"
#include "kernels/stencil/cuda/common/choose_chunks.hpp"
#include "kernels/stencil/separable.hpp"
#include "kernels/stencil/visit.hpp"

namespace terrace::stencil {
namespace {

using measured::CudaVolume;

template <class T>
VolumeKernel<T> star_of(int radius) {
  static_assert(CudaVolume::most_radius(false) == 4);
  return radius == 1   ? CudaVolumeKernel<T, VolumeKind::star, 1>::kernel()
         : radius == 2 ? CudaVolumeKernel<T, VolumeKind::star, 2>::kernel()
         : radius == 3 ? CudaVolumeKernel<T, VolumeKind::star, 3>::kernel()
                       : CudaVolumeKernel<T, VolumeKind::star, 4>::kernel();
}
template <class T>
VolumeKernel<T> box_of(int radius) {
  static_assert(CudaVolume::most_radius(true) == 2);
  return radius == 1 ? CudaVolumeKernel<T, VolumeKind::box, 1>::kernel()
                     : CudaVolumeKernel<T, VolumeKind::box, 2>::kernel();
}

/// An axis of a plane in tiles.
VolumeAxis axis_in_tiles(i64 extent, bool wraps, i32 size, i32 halo) {
  const i64 stride = size - 2 * halo;
  const i64 tiles = wraps            ? (extent + stride - 1) / stride
                    : extent <= size ? 1
                                     : 1 + (extent - size + stride - 1) / stride;
  return {extent, static_cast<i32>(tiles), static_cast<i32>(stride), wraps};
}

}  // namespace

std::optional<VolumeKind> volume_kind(const StencilSpec& spec) {
  bool in_parts = false;
  visit_formula(spec, [&]<class F>(F) { in_parts = InTwoParts<F>; });
  if (in_parts) return VolumeKind::parts;
  if (has_shape(spec, Shape::star)) return VolumeKind::star;
  if (has_shape(spec, Shape::box)) return VolumeKind::box;
  return std::nullopt;
}

measured::VolumeSizes volume_sizes(const StencilSpec& spec) {
  const int bytes = static_cast<int>(size_of(spec.value));
  measured::VolumeSizes sizes = CudaVolume::sizes(volume_kind(spec) == VolumeKind::box, spec.radius, bytes);
  visit_formula(spec, [&]<class F>(F) {
    if constexpr (InTwoParts<F>) sizes = CudaVolume::part_sizes(F::fields, F::handed, bytes);
  });
  return sizes;
}

template <class T>
VolumeKernel<T> sum_kernel_for(VolumeKind kind, int radius) {
  return kind == VolumeKind::star ? star_of<T>(radius) : box_of<T>(radius);
}

template <class T>
VolumeStreamer<T>::VolumeStreamer(const StencilSpec& spec, const VolumeKernel<T>& kernel,
                                  const std::vector<T>& operands)
    : spec_(spec), kernel_(kernel), resident_(kernel.resident_blocks()) {
  std::copy(operands.begin(), operands.end(), common_.operands);
  const auto wraps = [&](std::size_t axis) { return spec.faces[axis].low == Face::periodic; };
  common_.extent = spec.extents[0];
  common_.width = spec.width();
  common_.middle = axis_in_tiles(spec.extents[1], wraps(1), kernel.frame.height, kernel.frame.lines_halo);
  common_.last = axis_in_tiles(spec.extents[2], wraps(2), kernel.frame.width, kernel.frame.cells_halo);
  common_.keeps_rows = !wraps(0);
}

template <class T>
i64 VolumeStreamer<T>::most_levels(const StencilTask& task) const {
  return levels_at_once(spec_, task, kernel_.frame.sizes.levels);
}

template <class T>
void VolumeStreamer<T>::launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const {
  const i64 rows = levels.output.count();
  if (rows == 0) return;
  VolumeTask<T> task = common_;
  bool aligned = true;
  for (i32 f = 0; f < kernel_.frame.fields; ++f) {
    task.from[f] = levels.from[f];
    task.to[f] = levels.to[f];
    aligned = aligned && is_aligned(task.from[f], spec_.extents[2]) && is_aligned(task.to[f], spec_.extents[2]);
  }
  task.rows = levels.output;
  task.levels = static_cast<i32>(levels.count);
  task.wraps_rows = levels.whole && task.keeps_rows == 0;
  task.chunks.all = rows;
  task.chunks.tiles = i64{task.middle.tiles} * task.last.tiles;
  const i64 extra = kernel_.frame.depth + kernel_.frame.delay;
  choose_chunks(task.chunks, {.resident = resident_,
                              .extra = extra,
                              .low_extra = extra + CudaVolume::planes_to_begin,
                              .least = std::min<i64>(rows, 2 * spec_.radius),
                              .most = CudaVolume::most_chunk_planes(sizeof(T))});
  kernel_.launch(static_cast<unsigned>(task.chunks.blocks()), aligned, stream, state, task);
}

template VolumeKernel<float> sum_kernel_for<float>(VolumeKind, int);
template VolumeKernel<double> sum_kernel_for<double>(VolumeKind, int);
template class VolumeStreamer<float>;
template class VolumeStreamer<double>;

}  // namespace terrace::stencil
