// Strips: clusters of launches cut into sub-kernels, so that what one writes the next finds in the cache. Algorithm 2
// (ClusterTile) of Maghazeh et al., "Cache-Aware Kernel Tiling", with rows for thread blocks.
#pragma once

#include <optional>
#include <vector>

#include "kernels/graph/tiling/dependences.hpp"
#include "kernels/graph/times.hpp"

namespace terrace::graph {

/// Some rows of a launch.
struct SubKernel {
  int step;
  Range rows;

  friend bool operator==(const SubKernel&, const SubKernel&) = default;
};

struct Tiling {
  std::vector<SubKernel> sequence;
  double seconds = 0;
};

/// Cuts clusters of a graph.
class StripCutter {
 public:
  /// Both outlive the cutter. @param grain rows by which a sub-kernel grows
  StripCutter(const TileGraph& graph, const TimeTable& times, i64 grain);

  /// A launch as it is, with nothing in the cache.
  Tiling whole(int step);
  /// All launches one after another, where the cache holds all that they touch; nullopt: it does not.
  std::optional<Tiling> all_in_cache();
  /// The sub-kernels of a cluster: rounds that touch no more than the cache holds, each of at most one sub-kernel a
  /// launch; nullopt if not even the fewest rows fit.
  /// @param cluster launches in the order in which they can be made
  std::optional<Tiling> cut(const std::vector<int>& cluster) { return cut(cluster, most_extent); }
  /// About the seconds of these sub-kernels, from the first few rounds.
  std::optional<double> estimate(const std::vector<int>& cluster);

 private:
  /// A launch of a cluster.
  struct Member {
    int step;
    std::vector<std::pair<std::size_t, const Dependence*>> before;  // the members that it depends on
    bool has_dependents = false;
  };
  using Members = std::vector<Member>;
  /// The end of the rows that are made of each member.
  using Ends = std::vector<i64>;
  /// Bytes of a piece of memory that a launch touches.
  struct PieceBytes {
    int piece;
    Bytes bytes;
  };

  /// @param most_rounds after which the seconds of the others are taken as those of the last one
  std::optional<Tiling> cut(const std::vector<int>& cluster, i64 most_rounds);
  /// The bytes that rows of a launch touch, once for each piece; valid until the next call.
  const std::vector<PieceBytes>& bytes_of(int step, Range rows);
  Members members_of(const std::vector<int>& cluster) const;
  /// Bottom-up: as much of the members as the first `share` of `shares` grains of the leaves needs.
  Ends grown(const Members& members, const Ends& made, i64 share, i64 shares) const;
  /// Top-down: adds rows of which all that they depend on is there.
  void extend(const Members& members, Ends& ends) const;
  double bytes_touched(const Members& members, const Ends& made, const Ends& ends);
  void emit(const Members& members, const Ends& made, const Ends& ends, Tiling& tiling);
  void clear_pieces();

  const TileGraph& graph_;
  const TimeTable& times_;
  i64 grain_;
  std::vector<Bytes> pieces_;  // that a round has touched, by number of the piece
  std::vector<int> touched_;   // the pieces that it has touched
  std::vector<PieceBytes> own_;
};

}  // namespace terrace::graph
