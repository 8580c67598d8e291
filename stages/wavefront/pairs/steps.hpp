// The steps in which a block of pairs is computed, and the arrays that lie between them.
#pragma once

#include <cstdint>

#include "pipeline/run/access.hpp"
#include "pipeline/run/array.hpp"
#include "stages/wavefront/pairs/cut.hpp"
#include "stages/wavefront/pairs/definition.hpp"
#include "stages/wavefront/pairs/task.hpp"

namespace terrace::stages {

/// A step of a block; each is a block of the plan.
enum class PairsStep {
  whole,    // all of it, in memory of the host
  pack,     // the host packs a list of pairs for a device
  compute,  // a device computes scores
  keep      // the host keeps what is asked for of these
};

/// Steps of blocks. The CPU computes pairs in one step. A device with memory of its own computes scores; lists reach
/// it packed, and what is kept of scores, unless that is all of them as they are, is found by the host.
class PairsSteps {
 public:
  PairsSteps(const PairsDefinition& definition, const PairsCut& cut);

  bool on_device() const { return on_device_; }
  bool packs() const { return packs_; }
  bool keeps() const { return keeps_; }
  /// Steps of a block.
  std::int64_t count() const { return 1 + (packs_ ? 1 : 0) + (keeps_ ? 1 : 0); }

  struct Place {
    PairsStep step;
    std::int64_t block;
  };
  /// The step and the block of number `index` of a phase, of `all`. The host packs the next list before it keeps a
  /// block, which has to be computed first.
  Place place(std::int64_t index, std::int64_t all) const;

  /// True if a device computes ends apart from those that are kept, since long pairs have theirs already.
  bool computes_ends() const { return computes_ends_; }

  /// Scores and ends as a device computes them, and packed lists: tiles that blocks use in turn, the block of number
  /// n a generation of one of them.
  run::ArraySpec scores() const { return in_turn("computed", value_, pairs_); }
  run::ArraySpec lists() const { return in_turn("packed", ElementType::u8, packed_bytes_); }
  run::ArraySpec ends() const { return in_turn("computed_ends", ElementType::i64, end_values * pairs_); }
  run::Access ends_of(int array, std::int64_t block, std::int64_t pairs, run::Mode mode) const;
  run::Access scores_of(int array, std::int64_t block, std::int64_t pairs, run::Mode mode) const;
  run::Access list_of(int array, std::int64_t block, std::int64_t bytes, run::Mode mode) const;

 private:
  static run::ArraySpec in_turn(const char* name, ElementType type, std::int64_t tile);
  static run::Access access(run::Slot slot, int array, std::int64_t block, std::int64_t tile, std::int64_t used,
                            run::Mode mode);

  bool on_device_, packs_, keeps_, computes_ends_;
  ElementType value_;
  std::int64_t pairs_;         // of a block, at most
  std::int64_t packed_bytes_;  // likewise
};

/// Bytes of a side's elements that so many pairs of a list need, at most.
std::int64_t elements_bytes(const PairSide& side, std::int64_t pairs);

}  // namespace terrace::stages
