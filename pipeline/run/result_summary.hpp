// What a result says beside its large datasets: small results, the job, the profile, where it was made.
#pragma once

#include "io/result_file.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::run {

/// Seconds that a stage is expected to take: the longest of computing, the link and the disk.
double predicted_seconds(const Prediction& prediction);

/// Adds everything small to `finish`.
void summarise(const RunPlan& plan, const RunSettings& settings, const RunReport& report, io::Finish& finish);

}  // namespace terrace::run
