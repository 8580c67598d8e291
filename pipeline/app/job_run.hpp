// One job, run to its complete result, and the answer of a command that ran it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/progress/time_limit.hpp"
#include "pipeline/app/session.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::app {

/// The outcome of a run.
struct JobRun {
  std::filesystem::path output;
  bool there_already = false;  // nothing was computed
  double seconds = 0;
  nlohmann::json stages = nlohmann::json::array();  // each name, method, blocks, seconds, operations, unit, rate
};

/// Runs or resumes a job, and tells the session about it.
/// @param fresh as RunArguments::fresh
/// @throws Stopped at a checkpoint after a signal, or in time before the end of the span; Error
JobRun run_job(Session& session, const JobArguments& job, const std::string& fresh,
               const std::optional<TimeSpan>& span);

/// The answer of a run as JSON: `job`, `state` ("done", "stopped", "failed", "wrong") and, of a run that is done,
/// `output`, `there_already`, `seconds` and `stages`; else `errors`.
nlohmann::json run_answer(const JobArguments& job, int code, const JobRun& done,
                          const std::vector<std::string>& errors);

}  // namespace terrace::app
