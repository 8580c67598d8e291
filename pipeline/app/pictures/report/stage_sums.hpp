// The sums of each stage in a result's profile.
#pragma once

#include <string>
#include <vector>

#include "io/results/reader.hpp"
#include "pipeline/app/pictures/profile_rows.hpp"
#include "pipeline/app/show/bound.hpp"

namespace terrace::app {

/// All copies of one way.
struct MovementSums {
  std::string name;  // "read", "copy up", ...
  double copies = 0, bytes = 0;
  double seconds = 0;  // during which at least one of them was under way
};

/// A row of /profile/stages, of the last attempt, with the copies of the stage by their way.
struct StageSums {
  double blocks = 0, repeated = 0, checkpoints = 0;
  double seconds = 0, compute_seconds = 0, predicted_seconds = 0;
  double operations = 0, skipped = 0;
  double rate = 0, limit = 0, fraction = 0;  // operations a second; rate over limit
  double bytes_read = 0, bytes_up = 0, bytes_down = 0, bytes_written = 0;
  double peak_host = 0, peak_device = 0;
  double budget_host = 0, budget_device = 0;  // 0: not known
  ActivitySeconds activities{};               // the time of each
  double disk_rate = 0;                       // bytes a second while it read or wrote
  std::string unit, limit_kind;
  std::vector<MovementSums> movements;

  /// False if an earlier attempt completed the stage: the last one has no profile of it.
  bool computed() const { return seconds > 0 || blocks > 0; }
};

/// One a stage. @throws IoError
std::vector<StageSums> read_stage_sums(const io::ResultReader& result, const ProfileRows& profile);

}  // namespace terrace::app
