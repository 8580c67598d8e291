// Settings of a step that compares pairs of sets, as read.
#pragma once

#include "kernels/pairs/kept.hpp"
#include "kernels/pairs/methods.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/pairs/entries.hpp"
#include "stages/wavefront/pairs/long_pairs.hpp"
#include "stages/wavefront/pairs/sides.hpp"

namespace terrace::stages {

struct PairsDefinition {
  pairs::KeptSpec spec;    // its `pairs` are those that lanes take, once the long ones are set apart
  pairs::PairsSpec whole;  // of all pairs
  LongPairs long_pairs;
  PairSides sides;
  Entries entries;
  bool aligns = false;                         // alignments are results, too
  const pairs::PairsMethod* method = nullptr;  // that computes the pairs; chosen when the step is planned
  const pairs::PairsMethod* sweeps = nullptr;  // that computes the long ones; null: there are none

  /// True if a device with memory of its own computes the pairs.
  bool on_device() const { return method != nullptr && method->backend == device::Backend::cuda; }
};

/// Sets the pairs apart that have an item too long for lanes.
void set_long_apart(PairsDefinition& definition);

/// @throws JobError at the place of a setting that pairs do not take, or that does not fit the sets
PairsDefinition define_pairs(const Request& request);

}  // namespace terrace::stages
