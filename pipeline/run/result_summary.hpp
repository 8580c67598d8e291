// The small parts of a result file: small results, the job, the profile, program and machine.
#pragma once

#include "io/results/file.hpp"
#include "pipeline/run/profile.hpp"
#include "pipeline/run/profile/taken_profile.hpp"
#include "pipeline/run/run_plan.hpp"
#include "pipeline/run/run_settings.hpp"

namespace terrace::run {

/// The report of a finished run.
struct RunReport {
  Profile profile;
  std::int64_t attempts = 0;
  double seconds = 0;
  std::map<std::string, TakenProfile> taken = {};  // of stages that are taken over, by name
};

/// Rates assumed of disks and links that nobody has measured; of disks, as measured on local ones (direct writes on
/// three machines, 2.3 to 3.8 GB/s). For predictions only.
inline constexpr double assumed_disk_bytes_per_second = 2.5e9;
inline constexpr double assumed_link_bytes_per_second = 50e9;

/// Seconds assumed for the host to prepare, start and settle a block; a lower bound: 8,836 blocks of 64 x 64 cells
/// took 0.3 ms each on two busy threads of an AMD EPYC. Only where blocks are so small that they outnumber the work
/// does a stage take that long.
inline constexpr double assumed_block_seconds = 20e-6;

/// Predicted seconds of the parts of a stage's work, each by itself.
struct PredictedTimes {
  double compute = 0, link = 0, disk = 0;
  double blocks = 0;  // to prepare, start and settle all blocks
};
PredictedTimes predicted_times(const Prediction& prediction);

/// Predicted seconds of a stage: the longest of these.
double predicted_seconds(const Prediction& prediction);

/// Adds everything small to `finish`.
void summarise(const RunPlan& plan, const RunSettings& settings, const RunReport& report, io::Finish& finish);

}  // namespace terrace::run
