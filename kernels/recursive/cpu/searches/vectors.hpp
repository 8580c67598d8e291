// Types that the vectorised parts of searches share with their callers. Included by files that are compiled for newer
// instruction sets than the rest: no host library header.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::recursive {

using device::i16;
using device::i32;
using device::i64;
using device::u32;
using device::u64;
using device::u8;

/// The edges out of each node.
struct EdgeView {
  const i64* begin;
  const i32* to;
};

/// A search in breadth from up to 64 * words nodes at once: bit b of word w of a node says something of source
/// 64 * w + b. A node has `words` words in each array; words is 1, 2, 4 or 8.
struct LevelSearch {
  EdgeView edges;
  i64 words;
  u64* front;          // sources that reached the node in the last level; counts for the nodes of the list alone
  u64* next;           // sources that reach it from there; zero between levels
  u64* reached;        // sources that have reached it
  u64* const* planes;  // plane p: sources for which bit p of the level of the node is set
  u8* is_marked;       // of nodes, zero between levels
};

/// Numbers of sources from which `lanes` distances are kept for each node at a time.
template <class S>
inline constexpr i64 sweep_lanes = 64 / static_cast<i64>(sizeof(S));

/// Passes over the edges out of nodes that have changed, for sweep_lanes<S> sources at once (Bellman 1958, Ford
/// 1956).
template <class S>
struct SweepSearch {
  EdgeView edges;
  const S* weight;
  S* distance;  // nodes x sweep_lanes<S>
  i32 *list, *later;
  u8* is_listed;
};

/// The parts of an instruction set.
struct SearchKernels {
  /// Sends the front of `count` nodes along their edges. @return the number of nodes that are marked, in `marked`
  i64 (*push)(const LevelSearch& search, const i32* list, i64 count, i32* marked);
  /// Ends a level: the front becomes what is new at the marked nodes. @return the number of these that are in the
  /// front, in `list`
  i64 (*settle)(const LevelSearch& search, const i32* marked, i64 count, u32 level, i32* list);
  /// Writes levels of nodes [node, node + 64) as far as there are any, plus 1, of 64 sources of a word: levels[64 * b
  /// + j] for source b and node + j; 0: not reached.
  void (*levels)(const LevelSearch& search, i64 nodes, i64 node, i64 word, i64 planes, u32* levels);
  /// Passes once over the edges of the nodes in `list`. @return the number of nodes that have changed, in `later`,
  /// and adds the edges passed to `passed`
  i64 (*sweep_i32)(const SweepSearch<i32>& search, i64 count, i64& passed);
  i64 (*sweep_i64)(const SweepSearch<i64>& search, i64 count, i64& passed);
  i64 (*sweep_f64)(const SweepSearch<double>& search, i64 count, i64& passed);
};

namespace sse2 {
SearchKernels search_kernels();
}
namespace avx2 {
SearchKernels search_kernels();
}
namespace avx512 {
SearchKernels search_kernels();
}

}  // namespace terrace::recursive
