// The functions that launch the kernels of graphs on CUDA.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <vector>

#include "kernels/graph/cuda/streamed/work.hpp"
#include "kernels/graph/cuda/work.hpp"
#include "kernels/graph/cuda/written/work.hpp"
#include "kernels/graph/graph.hpp"
#include "kernels/launch/port.hpp"

namespace terrace::graph {

/// Submits the kernel that makes the rows of a work. @throws DeviceError
using Launch = std::function<void(const Work& work, cudaStream_t stream)>;
/// The launches of a kernel whose rows stream.
struct StreamedLaunch {
  std::function<void(const StreamedWork& work, const StreamedLayout& layout, unsigned blocks, cudaStream_t stream)>
      launch;
  std::vector<unsigned> resident;  // thread blocks that run at a time, by warps of one
};
using WrittenLaunch = std::function<void(const WrittenWork& work, cudaStream_t stream)>;

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
  /// Clears a list.
  static Launch clear();
  static Launch count();
  /// Makes the number of positions of each row, as `made`.
  static Launch count_listed();
  /// Turns these into the numbers of positions before each row.
  static Launch place_rows();
  static Launch list();
  /// @param kernel make_written_kernel of a cell, which is compiled at run time
  static WrittenLaunch written(const void* kernel, WrittenTile tile);
  /// @param kernel streamed_kernel, alike @param layouts by warps of a thread block
  static StreamedLaunch streamed(const void* kernel, const std::vector<StreamedLayout>& layouts);
};

}  // namespace terrace::graph
