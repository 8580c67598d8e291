// Settings of a step that compares pairs of sets, as read.
#pragma once

#include "kernels/pairs/kept.hpp"
#include "kernels/pairs/methods.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/pairs/entries.hpp"
#include "stages/wavefront/pairs/sides.hpp"

namespace terrace::stages {

struct PairsDefinition {
  pairs::KeptSpec spec;
  PairSides sides;
  Entries entries;
  bool aligns = false;                         // alignments are results, too
  const pairs::PairsMethod* method = nullptr;  // that computes the pairs; chosen when the step is planned

  /// True if a device with memory of its own computes the pairs.
  bool on_device() const { return method != nullptr && method->backend == device::Backend::cuda; }
};

/// @throws JobError at the place of a setting that pairs do not take, or that does not fit the sets
PairsDefinition define_pairs(const Request& request);

}  // namespace terrace::stages
