// Clusters: nodes of one shape whose rows one kernel makes, with the values between them in registers.
#pragma once

#include <optional>
#include <vector>

#include "kernels/graph/graph.hpp"

namespace terrace::graph {

/// Nodes by value, ascending, each in one group at most; those in none are made alone.
using Groups = std::vector<std::vector<int>>;

/// A value as the index of a vector.
inline std::size_t at_value(int value) { return static_cast<std::size_t>(value); }

/// A value of a cluster as rows that go by. Step t makes, or reads, its row t - lag.
struct StreamedValue {
  int value = 0;
  int lag = 0;
  int rows = 1;                           // that are kept, with the last one
  int columns = 0;                        // that are kept of the lanes beside, on each side
  Shape reach = {};                       // so far around a cell of a made value cells of this one are read
  int sums = 0;                           // rows whose sums a member adds up, if it sums rows first; else 0
  ElementType stored = ElementType::f32;  // in which a value that is read is in memory
  std::size_t first_number = 0;           // of its constants, among those of all nodes
  std::size_t rim_offset = 0;             // of its values in the shared memory of a rim tile, in elements
};

/// The kernel of a cluster: its values, windows and sizes.
struct Cluster {
  std::vector<StreamedValue> reads, members;  // values from outside, and nodes, both ascending
  std::vector<int> made;                      // members that others read, or that are targets
  int columns = 4;                            // of a lane
  int beside = 0;                             // columns at either end of a warp that others make
  int ahead = 4;                              // rows that are read ahead
  int blocks = 4;                             // thread blocks on a multiprocessor
  int first = 0, last = 0;                    // steps before the first row that is made, and after the end
  i64 rim_extent = 32;                        // rows and columns of a tile of the rim
  std::size_t rim_bytes = 0;                  // shared memory of such a tile
  double operations = 0;                      // of a cell, with what is made twice

  const StreamedValue* find(int value) const;
  /// Rows, or columns, at either end of the arrays whose cells depend on values outside of them.
  Shape rim() const;
};

/// The readers of values, and targets. Nodes that no target depends on read nothing.
struct Readers {
  explicit Readers(const Graph& graph);

  std::vector<std::vector<int>> nodes;  // by value
  std::vector<bool> is_target, is_wanted;
};

/// True of an input that clusters read as it is stored: whole numbers.
bool is_read_as_stored(const Graph& graph, int value);

/// True if a node may be a member of a cluster.
bool may_join(const Graph& graph, int value);

/// The cluster of these nodes; nullopt if no kernel makes them together.
std::optional<Cluster> cluster_of(const Graph& graph, const Readers& readers, const std::vector<int>& nodes);

/// The groups whose kernels take the least time together.
Groups choose_groups(const Graph& graph);

/// Bytes that a cluster moves from and to memory, of all rows.
double bytes_of(const Graph& graph, const Cluster& cluster);

/// A graph whose nodes are in another order: those of a cluster follow one another.
struct ClusteredGraph {
  Graph graph;
  std::vector<Cluster> clusters;
};

/// @throws DeviceError if a group is no cluster, or groups depend on each other in a circle
ClusteredGraph clustered(const Graph& graph, const Groups& groups);

}  // namespace terrace::graph
