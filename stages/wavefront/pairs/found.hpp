// Lists of the pairs beyond a limit, which are found round by round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/pairs/kept.hpp"

namespace terrace::stages {

/// Pairs that count, of a row of pairs in a block.
struct FoundPiece {
  std::int64_t row, block;    // of the round, from 0
  std::int64_t begin, count;  // in the list
};

/// Number of pairs of the round that count, and their places in the list. A round is a row of blocks; its blocks
/// are first computed, then what counts of them is copied to the list, row by row.
class FoundPairs {
 public:
  /// Adds what a block of the round has found. @param rows of the block @param columns blocks of a round
  void add(std::int64_t rows, std::int64_t block, const pairs::i64* passed);
  /// The pieces of the round in their order in the list; those that are empty are left out.
  const std::vector<FoundPiece>& pieces() const { return pieces_; }
  /// Rounds whose blocks are all computed, and whether the last one's pieces are copied.
  std::int64_t rounds() const { return rounds_; }
  bool copied() const { return pieces_.empty(); }
  /// Ends the blocks of a round: pieces() are then known.
  void end_round();
  /// Ends the copies of a round.
  void end_copies() { pieces_.clear(); }
  /// The rest of the list's last tile is filled.
  void fill() { filled_ = true; }
  bool filled() const { return filled_; }
  /// Pairs in the list, those to be copied among them.
  std::int64_t count() const { return count_; }

  std::string save() const;
  void load(const std::string& state);

 private:
  std::vector<FoundPiece> found_;  // of the round under way, without their places
  std::vector<FoundPiece> pieces_;
  std::int64_t rounds_ = 0, count_ = 0;
  bool filled_ = false;
};

}  // namespace terrace::stages
