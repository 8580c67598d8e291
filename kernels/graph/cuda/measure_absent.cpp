#include "kernels/graph/measure.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {

TimeTable measure_times(device::Context&) { throw DeviceError("graph", "this program has no kernels for CUDA"); }

}  // namespace terrace::graph
