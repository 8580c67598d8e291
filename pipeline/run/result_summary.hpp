// What a result says beside its large datasets: small results, the job, the profile, where it was made.
#pragma once

#include "io/results/file.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::run {

/// What disks and links are taken to move in a second where nobody has measured them: what local disks gave where it
/// was measured (direct writes on three machines, 2.3 to 3.8 GB/s). For predictions only.
inline constexpr double assumed_disk_bytes_per_second = 2.5e9;
inline constexpr double assumed_link_bytes_per_second = 50e9;

/// Seconds that the parts of a stage's work are expected to take, each by itself.
struct PredictedTimes {
  double compute = 0, link = 0, disk = 0;
};
PredictedTimes predicted_times(const Prediction& prediction);

/// Seconds that a stage is expected to take: the longest of them.
double predicted_seconds(const Prediction& prediction);

/// Adds everything small to `finish`.
void summarise(const RunPlan& plan, const RunSettings& settings, const RunReport& report, io::Finish& finish);

}  // namespace terrace::run
