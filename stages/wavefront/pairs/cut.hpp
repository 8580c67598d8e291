// The blocks of pairs: how many items of each side, and how they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "stages/stage_kind.hpp"
#include "stages/wavefront/pairs/entries.hpp"
#include "stages/wavefront/pairs/long_pairs.hpp"
#include "stages/wavefront/pairs/sides.hpp"

namespace terrace::stages {

/// Blocks of a matrix are rectangles, blocks of a list are ranges of its entries.
struct PairsCut {
  std::int64_t rows = 1, columns = 1;          // of a matrix: items of a block; the last ones may have fewer
  std::int64_t entries = 0;                    // of a list: of a block
  std::int64_t aligned = 1;                    // alignments of a block
  std::int64_t swept = 1;                      // long pairs of a block of them
  std::int64_t list_tile = 1;                  // entries of a tile of a list of pairs that count
  std::int64_t row_tile = 1, column_tile = 1;  // elements of a tile of the items; all of them: blocks read in place
};

/// The sizes from which blocks are chosen.
struct PairsNeed {
  const PairSides& sides;
  const Entries& entries;
  const LongPairs& long_pairs;
  bool on_device = false;       // a device with memory of its own computes scores
  std::int64_t budget = 0;      // of blocks and of what computes them
  std::int64_t pair_bytes = 0;  // of results of a pair, and of memory in which they are computed
  std::int64_t row_bytes = 0;   // of results of a row of a matrix
  std::function<std::int64_t(std::int64_t pairs)> kernel_bytes = {};  // of the kernel, for blocks of so many pairs
  std::int64_t workspace = 0;                                         // beside it
  std::int64_t most_rows = 0;                                         // of a block of a matrix
  std::int64_t most_aligned = 0;                                      // alignments in all; 0: none are wanted
  std::int64_t aligned_together = 1;                                  // blocks have a multiple of these
  std::int64_t aligned_bytes = 0;                                     // of results of an alignment
  double most_cells = 0;                             // of a block of several pairs, so that a checkpoint is not far
  std::int64_t longest_row = 0, longest_column = 0;  // elements of the items that lanes take, at most
  std::int64_t most_swept = 1;                       // long pairs of a block of them
  std::int64_t known_bytes = 0;                      // of the score of a long pair, and its end
};

/// Pairs of the largest block.
std::int64_t pairs_of_block(const Entries& entries, const PairsCut& cut);

/// Bytes that the largest block holds.
std::int64_t block_bytes(const PairsNeed& need, const PairsCut& cut);

/// True if all items of a side lie in one tile, and blocks read them where they are.
bool is_whole(const PairSide& side, std::int64_t tile);

/// @throws JobError naming the least budget if not even a block of one pair fits
PairsCut choose_cut(const PairsNeed& need, const Resources& resources);

}  // namespace terrace::stages
