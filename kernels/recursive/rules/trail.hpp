// Trails: the data of a path that are stored with its distance.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::recursive {

/// A trail holds, for a path from i to j, its number of edges (upper half of the word) and the node that follows i
/// (lower half). Shortest paths with their trails are the closure of the matrix of edges in an algebra of pairs:
///
///   (d, h, n) + (d', h', n') = the smaller one, first by distance, then by edges, then by the next node
///   (d, h, n) * (d', h', n') = (d + d', h + h', n)
///
/// This is a semiring: both sides of (a + b) * c = a * c + b * c and of c * (a + b) = c * a + c * b are the least of
/// the same pairs, since n' has no part in products. Its cycles are positive, as each has an edge, also cycles of
/// weight zero. So any order of blocks that closes a matrix of distances without negative cycles closes the pairs,
/// too, and in the closure n(i, j) is the least node that follows i on a path which among the shortest has the fewest
/// edges.
///
/// Following n always ends and gives the distance: let m = n(i, j) != j. The rest of that path, after m, is a path
/// from m to j of length d(i, j) - w(i, m) and of h(i, j) - 1 edges, so (m, j) is no larger than that; nor smaller,
/// since with the edge (i, m) before it it would make (i, j) smaller. So d(i, j) = w(i, m) + d(m, j), and with each
/// step h falls by one, until it is 1 and the edge (i, j) is left. (Distances alone, with ties keeping the old value,
/// do not suffice: in blocks of pivots two nodes on a cycle of weight zero may each take the other for the next one.)
///
/// In floating point, this holds if the sums are exact; if they are rounded, d(i, j) is w(i, m) + d(m, j) up to
/// rounding, and only a cycle whose whole weight is lost in rounding could be followed for ever.
template <class W>
struct Trail {
  static constexpr int half = 4 * static_cast<int>(sizeof(W));
  static constexpr W next_mask = static_cast<W>((W(1) << half) - 1);
  /// The trail of a node to itself, with no edge: an "edge" to no existing node.
  static constexpr W none = next_mask;
  /// Nodes of a graph, at most, so that twice the edges of a path do not leave the word.
  static constexpr device::i64 most_nodes = device::i64{1} << (half - 1);
};

}  // namespace terrace::recursive
