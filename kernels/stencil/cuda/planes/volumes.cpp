#include "kernels/stencil/cuda/planes/volumes.hpp"

#include <algorithm>

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
VolumeAxis axis_in_tiles(const StencilSpec& spec, std::size_t axis, i32 size, i32 halo) {
  const i64 extent = spec.extents[axis], stride = size - 2 * halo;
  const bool wraps = spec.faces[axis].low == Face::periodic;
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

VolumeCut::VolumeCut(const StencilSpec& spec, const VolumeFrame& frame, i64 resident)
    : spec_(spec),
      frame_(frame),
      middle_(axis_in_tiles(spec, 1, frame.height, frame.lines_halo)),
      last_(axis_in_tiles(spec, 2, frame.width, frame.cells_halo)),
      resident_(resident) {}

i64 VolumeCut::most_levels(const StencilTask& task) const { return levels_at_once(spec_, task, frame_.sizes.levels); }

RowChunks VolumeCut::chunks_of(i64 planes) const {
  RowChunks chunks{};
  chunks.all = planes;
  chunks.tiles = i64{middle_.tiles} * last_.tiles;
  const i64 extra = frame_.depth + frame_.delay;
  choose_chunks(chunks, {.resident = resident_,
                         .extra = extra,
                         .low_extra = extra + CudaVolume::planes_to_begin,
                         .least = std::min<i64>(planes, 2 * spec_.radius),
                         .most = CudaVolume::most_chunk_planes(static_cast<int>(size_of(spec_.value)))});
  return chunks;
}

template VolumeKernel<float> sum_kernel_for<float>(VolumeKind, int);
template VolumeKernel<double> sum_kernel_for<double>(VolumeKind, int);

}  // namespace terrace::stencil
