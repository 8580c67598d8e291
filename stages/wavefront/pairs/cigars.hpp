// Progress of the alignments of pairs, and the places of their cigars.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace terrace::stages {

/// Alignments are computed in rounds of blocks; the cigars of a round are copied to the result when all of their
/// lengths are known.
class CigarRounds {
 public:
  /// Adds the bytes of the next block of the round under way.
  void add(std::int64_t bytes) { bytes_.push_back(bytes); }
  /// Ends the blocks of a round.
  void end_round();
  /// Ends the copies of a round.
  void end_copies();
  void fill() { filled_ = true; }

  /// Rounds whose blocks are computed.
  std::int64_t rounds() const { return rounds_; }
  /// True if the cigars of these rounds are all copied.
  bool copied() const { return copied_; }
  /// True if the rest of the last tile of cigars is filled.
  bool filled() const { return filled_; }
  /// The begin of the cigars of a block of the round to be copied; for the block behind the last one, their end.
  std::int64_t begin(std::int64_t block) const;
  /// Bytes of all cigars of complete rounds.
  std::int64_t count() const { return count_; }

  std::string save() const;
  void load(const std::string& state);

 private:
  std::vector<std::int64_t> bytes_;  // of the blocks of the round
  std::int64_t rounds_ = 0, count_ = 0;
  bool copied_ = true, filled_ = false;
};

}  // namespace terrace::stages
