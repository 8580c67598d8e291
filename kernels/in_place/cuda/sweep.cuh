// Makes the CUDA sweeps of one in-place problem. Included by the sources that the build makes from
// cuda/problem.cu.in, one a problem.
#pragma once

#include "kernels/in_place/cuda/launches.cuh"
#include "kernels/in_place/problem_list.hpp"

namespace terrace::in_place {

template <class P>
std::unique_ptr<device::BlockKernel> InPlaceCudaSweeps<P>::make(const InPlaceSpec& spec, device::Context& context,
                                                                void* workspace, const InPlaceTrial& trial) {
  const auto with = [&]<class T, bool few>() -> std::unique_ptr<device::BlockKernel> {
    using Constants = typename P::template Constants<T>;
    InPlaceCudaKernels<Constants> kernels{
        device::make_kernel(sweep_in_place_kernel<P, T, few>, "sweep_in_place_kernel"),
        device::make_kernel(leave_rows_kernel<P, T, few>, "leave_rows_kernel"),
        device::make_kernel(report_last_slab_kernel<P>, "report_last_slab_kernel"),
        sizeof(InPlaceMemory < T, P::corners ? 1 : 0, few >),
        P::template constants_as<T>(P::constants(spec.settings)),
        nullptr};
    return std::make_unique<InPlaceLaunches<Constants>>(spec, context, workspace, trial, std::move(kernels));
  };
  const bool few = in_place_shape(spec, trial).few;
  if (spec.value == ElementType::f32) {
    return few ? with.template operator()<float, true>() : with.template operator()<float, false>();
  }
  return few ? with.template operator()<double, true>() : with.template operator()<double, false>();
}

}  // namespace terrace::in_place
