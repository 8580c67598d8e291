// Compiles the kernels of clusters.
#pragma once

#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/graph/cuda/fused/kernels.hpp"

namespace terrace::graph {

/// Kernels that keep their values in registers, with fewer thread blocks on a multiprocessor if need be.
/// @param checks of each value that is read, whether it is looked through for NaN @throws DeviceError
ClusterKernels compile(const Graph& graph, const Cluster& cluster, const std::vector<bool>& checks,
                       device::Context& context);

}  // namespace terrace::graph
