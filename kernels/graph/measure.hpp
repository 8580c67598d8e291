// Measures what launches of graphs take on a device.
#pragma once

#include "kernels/device/context.hpp"
#include "kernels/graph/times.hpp"

namespace terrace::graph {

/// Times of kernels that copy rows, at sizes by powers of two, in the cache and in memory; takes a second or so, and
/// up to 2 GiB of device memory. @param context of a CUDA device @throws DeviceError
TimeTable measure_times(device::Context& context);

}  // namespace terrace::graph
