// The launches of a cluster in a slab.
#pragma once

#include <vector>

#include "kernels/graph/clusters/cluster.hpp"
#include "kernels/graph/cuda/fused/work.hpp"
#include "kernels/graph/cuda/steps.hpp"

namespace terrace::graph {

/// A launch of both kernels of a cluster.
struct ClusterLaunch {
  ClusterWork work;
  unsigned stream_blocks, rim_blocks;  // thread blocks; 0: nothing to do
};

/// Makes the launches of a cluster.
class ClusterLaunches {
 public:
  /// @param resident_blocks of the kernel that streams rows, on the whole device
  /// @param numbers of all nodes, in the type of values
  ClusterLaunches(const Graph& graph, const Cluster& cluster, GraphState* state, const std::byte* numbers,
                  unsigned resident_blocks)
      : graph_(graph), cluster_(cluster), state_(state), numbers_(numbers), resident_blocks_(resident_blocks) {}

  /// @throws DeviceError if rows that it reads are not in memory
  std::vector<ClusterLaunch> of(const SlabWork& slab) const;
  /// The same rows of all made values. @param pieces of all values of the graph
  std::vector<ClusterLaunch> of(const std::vector<Pieces>& pieces, const Range& rows) const;
  /// The rows of value `read` of the cluster's that a launch looks through for NaN if it is checked.
  Range looked_at(const ClusterLaunch& launch, std::size_t read) const;

 private:
  /// The rows of each made value; empty: none.
  using Wanted = std::vector<Range>;

  void add_all(const std::vector<Pieces>& pieces, const Wanted& all, std::vector<ClusterLaunch>& launches) const;
  bool add(const std::vector<Pieces>& pieces, const Wanted& wanted, std::vector<ClusterLaunch>& launches) const;
  std::vector<Rows> rows_read(const Wanted& wanted) const;
  bool point_to_reads(const std::vector<Pieces>& all_pieces, const Wanted& wanted, ClusterWork& work) const;
  void cut(ClusterWork& work, const Range& rows) const;
  void cut_into_strips(ClusterWork& work) const;
  Shape tile_of(const Area& band) const;

  const Graph& graph_;
  const Cluster& cluster_;
  GraphState* state_;
  const std::byte* numbers_;
  unsigned resident_blocks_;
};

}  // namespace terrace::graph
