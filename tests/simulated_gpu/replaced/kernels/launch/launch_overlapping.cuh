// Replaces the project's header of that name for kernels that are compiled for the simulated device, on which kernels
// of a stream follow one another.
#pragma once

#include "tests/simulated_gpu/replaced/kernels/launch/launch.cuh"

namespace terrace::device {

template <class... Parameters>
void launch_overlapping(const Kernel<Parameters...>& kernel, const LaunchShape& shape,
                        std::type_identity_t<Parameters>... values) {
  launch(kernel, shape, values...);
}

}  // namespace terrace::device
