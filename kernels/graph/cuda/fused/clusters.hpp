// The clusters of a composition on CUDA: one kernel each, which is compiled at run time.
#pragma once

#include <memory>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/graph/cuda/composition.hpp"
#include "kernels/graph/cuda/fused/kernels.hpp"

namespace terrace::graph {

/// Launches the clusters of slabs, and looks through inputs that these read.
class FusedClusters {
 public:
  /// Compiles them. @throws DeviceError
  FusedClusters(std::shared_ptr<const Composition> all, const GraphMemory& memory, device::Context& context);

  /// A slab in the making.
  class Slab;

 private:
  std::shared_ptr<const Composition> all_;
  GraphMemory memory_;
  std::vector<std::vector<bool>> checks_;  // of each cluster which of its values it looks through for NaN
  std::vector<bool> read_by_clusters_;     // by input
  std::vector<int> cluster_of_;            // by value; -1: made alone, or an input
  std::vector<ClusterKernels> kernels_;
};

class FusedClusters::Slab {
 public:
  /// Takes inputs as they are stored where clusters alone read them.
  Slab(const FusedClusters& own, SlabWork& work);

  /// Launches what clusters have of a step. @return false if the step is launched alone
  bool launch(const Step& step, cudaStream_t stream);

 private:
  void point_to_stored(SlabWork& work) const;
  void find_launches(const SlabWork& work);
  static void check(const Step& step, const Rows& looked_at, cudaStream_t stream);

  const FusedClusters& own_;
  const Graph& graph_;
  std::vector<std::vector<ClusterLaunch>> launches_;
  std::vector<Rows> looked_at_;  // of inputs, by clusters
  std::vector<bool> is_launched_;
};

}  // namespace terrace::graph
