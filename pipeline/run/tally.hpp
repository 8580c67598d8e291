// The small results of a stage's blocks, folded in their order.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/settings.hpp"
#include "pipeline/run/phase.hpp"

namespace terrace::run {

/// Folds results at the frontier of finished blocks, and decides about blocks that fail their own checks.
class Tally {
 public:
  virtual ~Tally() = default;

  /// Adds a block's result, of Plan::result_bytes(); called in the order of blocks.
  virtual void fold(const Phase& phase, std::int64_t index, const void* result) = 0;
  /// The state folded so far; load() restores it after a stop.
  virtual std::string save() const = 0;
  virtual void load(const std::string& state) = 0;
  /// The reason for which the stage cannot go on, found in what was folded; empty: none. The run then ends with it as
  /// a ComputeError, after a checkpoint of all blocks that are done: a later attempt ends with it at once.
  virtual std::string fault() const { return {}; }
  /// Its place in the job, if it is a more exact one than the stage's.
  virtual Place fault_place() const { return {}; }
  /// Called when a block failed its own checks; tiles that it was to update are unchanged. Returns if the block can
  /// be repeated (with attempt + 1).
  /// @throws ComputeError if it cannot
  virtual void failed(const Phase& phase, std::int64_t index, int) {
    throw ComputeError("block " + std::to_string(index) + " of phase " + std::to_string(phase.number) +
                       " failed, which no block of the stage does");
  }
};

}  // namespace terrace::run
