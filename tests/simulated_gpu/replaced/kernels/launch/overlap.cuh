// Replaces the project's header of that name for kernels that are compiled for the simulated device, on which kernels
// of a stream follow one another.
#pragma once

namespace terrace::device {

inline void wait_for_earlier_kernels() {}

}  // namespace terrace::device
