// Makes the CUDA sweep of a written cell: the kernels of the problems of the list, compiled at run time. Included by
// the source that the build makes from cuda/written.cu.in.
#pragma once

#include "kernels/compiled/store.hpp"
#include "kernels/in_place/cuda/launches.cuh"
#include "kernels/in_place/cuda/written_source.hpp"

namespace terrace::in_place {

/// The constants of a written cell: they are in its source.
struct NoConstants {};

/// Shared memory of a warp. The type of the cells has that many bytes.
template <class T>
std::size_t written_warp_bytes(const InPlaceShape& shape) {
  if (shape.slant == 0) return shape.few ? sizeof(InPlaceMemory<T, 0, true>) : sizeof(InPlaceMemory<T, 0, false>);
  return shape.few ? sizeof(InPlaceMemory<T, 1, true>) : sizeof(InPlaceMemory<T, 1, false>);
}

std::unique_ptr<device::BlockKernel> make_written_in_place_cuda(const InPlaceSpec& spec, device::Context& context,
                                                                void* workspace, const InPlaceTrial& trial) {
  if (context.modules() == nullptr) throw DeviceError("in-place sweep", "there is no place for kernels of nests");
  const InPlaceShape shape = in_place_shape(spec, trial);
  auto modules = context.modules()->module(written_source(spec, shape), context);
  InPlaceCudaKernels<NoConstants> kernels{
      {modules->kernel(0), "sweep_in_place_kernel"},
      {modules->kernel(1), "leave_rows_kernel"},
      {modules->kernel(2), "report_last_slab_kernel"},
      shape.value_bytes == 4 ? written_warp_bytes<float>(shape) : written_warp_bytes<double>(shape),
      {},
      modules};
  return std::make_unique<InPlaceLaunches<NoConstants>>(spec, context, workspace, trial, std::move(kernels));
}

}  // namespace terrace::in_place
