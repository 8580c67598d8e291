// The files of a run: made at its start, found again by later attempts.
#pragma once

#include <cstddef>
#include <vector>

#include "io/results/file.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/run/ledger.hpp"
#include "pipeline/run/run_folder.hpp"
#include "pipeline/run/run_plan.hpp"
#include "pipeline/run/run_settings.hpp"
#include "pipeline/run/slots.hpp"

namespace terrace::run {

/// A run that has been started.
struct StartedRun {
  nlohmann::json plan;                // the content of plan.json
  std::vector<ResultArray> compared;  // taken over, and compared with their checksums as they were copied
};

/// Makes the result file with its extents, and records the places of all files of the run in plan.json.
/// @throws IoError, also if a file system has too little space, or what is taken over is not as it was written
StartedRun start_run(RunPlan& plan, RunFolder& folder, const RunSettings& settings);

/// Checks the scratch files that the plan names, and makes missing ones.
/// @throws IoError if one with data of an earlier attempt is missing or short, or if one is not of this run
void make_scratch(const RunPlan& plan, const nlohmann::json& json, const Progress& progress, const RunFolder& folder,
                  const RunSettings& settings);

/// The disk side of one stage's arrays.
std::vector<ArrayStorage> storage_of(const RunPlan& plan, const nlohmann::json& json, std::size_t stage,
                                     const RunFolder& folder);

/// Calls `read`, which takes values out of plan.json. @throws IoError naming the file if they are missing
template <class Read>
auto read_plan_of(const RunFolder& folder, const Read& read) {
  return read_json((folder.path() / "plan.json").string(), remedy_for_runs, read);
}

}  // namespace terrace::run
