// Shortest paths by a search over the edges of a graph from each of some nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernels/device/integers.hpp"
#include "kernels/launch/method.hpp"
#include "kernels/values/bins.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::recursive {

/// The edges out of each node. Weights have the type in which searches sum them (SumOf): of distances in i16 and i32
/// i32, in i64 that, in f32 and f64 f64.
struct SearchGraph {
  std::int64_t nodes = 0;
  std::vector<device::i64> begin = {0};  // of the edges of each node, and the end: nodes + 1
  std::vector<device::i32> to;
  std::variant<std::vector<device::i32>, std::vector<device::i64>, std::vector<double>> weight;
  bool equal = true;      // all weights are equal
  bool negative = false;  // some are below 0

  std::int64_t edges() const { return static_cast<std::int64_t>(to.size()); }
  /// Bytes of memory.
  std::size_t memory() const;
};

/// The type in which weights are summed for distances of type T.
template <class T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, double,
                                 std::conditional_t<sizeof(T) == 8, device::i64, device::i32>>;

/// The node of a path that is stored next to its distance. Of the shortest paths it is one with the fewest edges, and
/// of these the least such node.
enum class Beside : device::i32 {
  none,
  next,     // the node after the first: the second of the path
  previous  // the node before the last
};

/// The searches of a stage.
struct SearchSpec {
  ElementType value = ElementType::i32;  // of distances: is_distance_type()
  std::shared_ptr<const SearchGraph> graph;
  Beside beside = Beside::none;
  bool loops = false;  // a path from a node to itself has at least one edge
  int words = 8;       // of sources that are searched from at once by bits, 64 a word, at most: 1, 2, 4 or 8
  /// The node of each row; nullopt: row i is that of node i.
  std::optional<std::vector<device::i32>> sources = std::nullopt;
  std::optional<values::Bins> bins = std::nullopt;  // of the histogram of rows that are not kept; nullopt: none
  std::int64_t rows() const { return sources ? static_cast<std::int64_t>(sources->size()) : graph->nodes; }
};

using SearchMethod = device::Method<SearchSpec>;

/// The work of a block.
enum class SearchStep : device::i32 {
  potentials,  // makes potential
  rows         // makes rows of distances
};

/// Rows [first_row, first_row + rows) of the table of distances. Strides count values from row to row.
struct SearchTask {
  SearchStep step;
  device::i64 first_row, rows;
  void* distance;  // null: rows are reduced as they are made
  device::i64 distance_stride;
  device::i32* beside;  // null: none
  device::i64 beside_stride;
  /// A number for each node, of i64 or f64: weight + potential of its begin - potential of its end is not negative
  /// for any edge (Johnson 1977). Null: no weight is negative.
  void* potential;
  /// Of the finite distances of each row to other nodes the largest (of none infinity), the sum, in i64 or f64, and
  /// their number. Null: distances go to the table.
  void *eccentricity, *sum;
  device::i64* reached;
  /// Counts of the finite distances to other nodes in SearchSpec::bins, to which those of the rows are added; null:
  /// none.
  device::i64* histogram;
  device::i64 makes_histogram;  // 1: the block is the first: it sets the counts to 0 before
};

/// Distances of integer types are in `whole`, others in `real`.
struct SearchResult {
  device::i64 found;  // 1: rows have finite distances
  device::i64 whole;  // the largest
  double real;
  device::i64 overflowed;  // 1: a sum of distances leaves i64
  device::i64 negative;    // a node on a cycle of negative weight, or -1
  device::i64 counted;     // distances in the bins of the histogram
  device::i64 outside;     // finite distances to other nodes in none
};

// Descriptors of the kernels are SearchTask, results SearchResult. A launch computes its blocks one after another,
// each by all threads of the CPU.
//
// Distances of whole numbers are exact: an infinite one means no path, or one that is not below infinity. Of real
// numbers without negative ones each is the least of the sums along all paths, added in f64 from the source on; with
// negative ones it is the sum along a path that is shortest by potentials in f64.

/// All of them are of the CPU. Their cost is of an edge and a source, such as searches pass at most once; `workspace`
/// is that of all threads.
std::span<const SearchMethod> search_methods();

}  // namespace terrace::recursive
