// Scripts with which Slurm runs a job, or a batch as an array.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/app/submit/options.hpp"

namespace terrace::app {

/// The command that a script runs.
struct SubmittedRun {
  std::filesystem::path program;        // terrace
  std::filesystem::path job;            // absolute
  std::vector<std::string> settings;    // KEY=VALUE each
  bool threads_of_slurm = false;        // as many threads as CPUs that Slurm gives
  std::optional<long> first_task = {};  // of a batch: that of index 0 of the array
};

/// A script of bash: the options, and the program in the background. A signal USR1 is handed to the program, which
/// stops at a checkpoint with code 75; the script then puts its job back into the queue. A program that was killed is
/// run again, a bounded number of times.
std::string script_for(const SubmittedRun& run, const SbatchOptions& options);

}  // namespace terrace::app
