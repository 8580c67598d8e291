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

/// Adds everything small to `finish`.
void summarise(const RunPlan& plan, const RunSettings& settings, const RunReport& report, io::Finish& finish);

}  // namespace terrace::run
