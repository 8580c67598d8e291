// The functions that launch the kernels of graphs on CUDA.
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "kernels/graph/cuda/work.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/launch/port.hpp"

namespace terrace::graph {

/// Submits the kernel that makes the rows of a work. @throws DeviceError
using Launch = void (*)(const Work& work, cudaStream_t stream);

/// The launch of an operator's nodes with these settings; loads the kernel's code. Defined in the source that the
/// build makes for Op (cuda/operator.cu.in). @tparam T of values
template <class Op, class T>
Launch launch_of_operator(const NodeSettings& settings);

/// The launches around the nodes of a slab. They load code. Defined in the source that the build makes for T
/// (cuda/slab.cu.in).
/// They submit kernels without waiting for them.
template <class T>
struct SlabLaunches {
  void (*begin)(const device::Port& port, GraphState* state, u64 block, cudaStream_t stream);
  /// Writes constants of nodes into the workspace, which other kernels may have used since the last slab.
  void (*bring)(const std::vector<T>& numbers, T* to, cudaStream_t stream);
  void (*report)(const device::Port& port, const GraphState* state, u64 block, const Reduced& reduced,
                 cudaStream_t stream);

  SlabLaunches();
  /// Loads an input of that type: looks for NaN where it is T, else makes values of type T.
  static Launch load(ElementType stored);
  /// @param stored f32, f64, u8 or u16
  static Launch keep(ElementType stored);
  /// Makes the result of each row, as `made`.
  static Launch reduce(Measure measure);
  /// Folds the results of rows.
  static Launch fold(Measure measure);
  static Launch clear_counts();
  static Launch count();
};

}  // namespace terrace::graph
