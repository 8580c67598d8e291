// The cells of pairs' tables, or of their windows: what predictions, and the sizes of blocks, count.
#pragma once

#include <cstdint>

#include "stages/wavefront/pairs/entries.hpp"
#include "stages/wavefront/pairs/long_pairs.hpp"
#include "stages/wavefront/pairs/sides.hpp"
#include "stages/wavefront/pairs/task.hpp"

namespace terrace::stages {

class PairCells {
 public:
  /// @param settings of the problem
  PairCells(const PairSides& sides, const Entries& entries, const Settings& settings);

  /// Cells of the pair of an entry.
  double of_entry(std::int64_t entry) const;
  /// Cells of a rectangle of pairs; with a window, and items of several lengths, about.
  double of_block(const PairsBlock& block) const;
  /// Cells of long pairs [begin, end).
  double of_long(const LongPairs& pairs, std::int64_t begin, std::int64_t end) const;
  /// Cells of all pairs, about as of_block().
  double all() const;

 private:
  double of_pair(const ItemPair& pair) const;
  double of_lengths(double rows, double columns) const;

  const io::ItemSet &rows_, &columns_;
  const Entries& entries_;
  std::int64_t window_;
};

}  // namespace terrace::stages
