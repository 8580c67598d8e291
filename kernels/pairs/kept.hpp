// Kept scores of a block's pairs, in the type of the result: all of them, or the best of each row.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/spec.hpp"

namespace terrace::pairs {

/// All that fixes what a block keeps.
struct KeptSpec {
  PairsSpec pairs;
  ElementType stored = ElementType::i32;  // type of kept scores: that of the pairs' scores, or one that holds these
  std::int64_t scale = 1;                 // kept scores are scores divided by it
  std::int64_t best = 0;                  // hits of each row that are kept in place of all scores; 0: all scores are
  bool least = false;                     // the best scores are the least ones: distances
  std::optional<double> limit = {};       // scores beyond it do not count: below, or of distances above
  bool counts = false;                    // pairs that count are counted, of each row, or of a list of all
};

/// True if a kept score counts.
template <class T>
constexpr bool passes(const KeptSpec& spec, T score) {
  if (!spec.limit) return true;
  return spec.least ? static_cast<double>(score) <= *spec.limit : static_cast<double>(score) >= *spec.limit;
}

/// Number of no hit.
inline constexpr i64 no_hit = -1;

/// Items of a side that lie one after another in memory.
struct ItemRun {
  i64 first, count;      // items of the set
  const i64* begin;      // where each of them begins in the set, and the end of the last one
  const void* elements;  // of the first one and those after it
};

/// The pairs of a block that is no rectangle. The host makes it before the block begins.
struct ListedPairs {
  std::vector<std::array<i64, 2>> pairs;  // items of the sets
  std::vector<ItemRun> rows, columns;     // which hold all of these items, in ascending order
  std::atomic<bool> ended{false};         // the kernel needs it no more
};

/// The place into which the listed pairs of a block are packed (packed_list.hpp).
struct PackedListTask {
  std::byte* to;       // null: they are not
  bool rows, columns;  // sides whose items are packed, too
};

/// Scores of pairs that were computed before, since lanes do not take them.
struct KnownScores {
  std::vector<i64> numbers;  // of these pairs in the block, ascending
  struct Run {
    i64 count;
    const std::byte* scores;  // of PairsSpec::value
    const End* ends;          // null: not asked for
  };
  std::vector<Run> runs;           // of the scores of all of them, in their order
  std::atomic<bool> ended{false};  // the kernel needs it no more
};

/// Bytes of memory that a pair takes in a block with such pairs, at most.
inline constexpr std::size_t known_pair_bytes = 3 * sizeof(i64) + sizeof(Pair) + sizeof(End);

/// The pairs of a block, and where what is kept of them goes.
struct KeptTask {
  PairsTask pairs;        // `scores`, `ends`: as a device has computed them; no scores: the block computes them
  ListedPairs* listed;    // in place of `pairs`; null: the block is a rectangle, or has scores
  PackedListTask packed;  // if the block packs its list, it does nothing else
  KnownScores* known;     // of pairs that are not computed here; null: there are none
  void* scores;           // of each pair, in their order, of type KeptSpec::stored
  End* ends;              // likewise; null: not asked for
  i64* hits;         // columns of the best scores of each row, KeptSpec::best of them, best first, then lowest column
  void* hit_scores;  // their scores, of type KeptSpec::stored; where there are fewer hits, these are no_hit
  i64 first_column;  // of the block, as hits count columns
  bool begins;       // no block has found hits of these rows before; else they are of columns before the block's
};

/// Rows of a block of which a list of pairs is wanted, at most.
inline constexpr i64 most_counted_rows = 32;

struct KeptResult {
  PairsResult pairs;
  i64 not_finite;                 // number of the first pair whose score is not finite and should be; -1: none
  i64 passed[most_counted_rows];  // pairs of each row that count, where KeptSpec::counts
};

/// True if what is kept is not all scores as they are computed, or if these are checked.
bool keeps_part(const KeptSpec& spec);

/// Bytes of memory in which a block of so many pairs is computed, beside the workspace of the kernel of its pairs.
std::size_t kept_bytes(const KeptSpec& spec, std::int64_t pairs);

/// A kernel for blocks of KeptTask and KeptResult, in memory of the host. @param pairs computes their pairs; null:
/// a device has computed them
std::unique_ptr<device::BlockKernel> make_kept(const KeptSpec& spec, std::unique_ptr<device::BlockKernel> pairs,
                                               device::Context& context);

}  // namespace terrace::pairs
