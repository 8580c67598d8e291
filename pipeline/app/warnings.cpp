#include "pipeline/app/warnings.hpp"

#include <filesystem>

#include "kernels/device/context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/disk_need.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {

void warn_of_budgets(const job::Job& job, const Warn& warn) {
  const std::size_t here = device::memory_room().total;
  if (!job.host_memory || static_cast<std::size_t>(*job.host_memory) <= here) return;
  warn(message_at(job.host_memory_place, "memory.host is " + format_size(static_cast<double>(*job.host_memory)) +
                                             ", and there are " + format_size(static_cast<double>(here)) +
                                             " for programs here: a run that takes all of it is slow, or is killed"));
}

void warn_of_disk(const job::Job& job, const run::RunPlan& plan, const Warn& warn) {
  const std::filesystem::path folder = run::RunFolder::path_for(job.output);
  // A run that was interrupted has its space already.
  if (std::filesystem::exists(folder / "plan.json")) return;
  const std::int64_t taken = run::disk_need(plan).taken;
  const auto refusal = [&](std::int64_t shared) -> std::string {
    try {
      run::check_disk(plan, folder, shared);
      return "";
    } catch (const IoError& error) {
      return error.what();
    }
  };
  if (const std::string always = refusal(taken); !always.empty()) return warn("a run would be refused: " + always);
  const std::string copied = refusal(0);
  if (copied.empty()) return;
  warn("a run would be refused if the file system cannot share the " + format_size(static_cast<double>(taken)) +
       " that are taken over: " + copied);
}

void warn_of_build(bool cuda, const Warn& warn) {
  if (!cuda || !device::cuda_unoptimised()) return;
  warn(
      "the CUDA kernels of this program are not optimised (it was built with TERRACE_CUDA_UNOPTIMISED, for tests): "
      "the "
      "run is slow; build it again without, or say `backend: cpu`");
}

void StageWarnings::tell(const run::RunPlan& plan) {
  for (const run::PlannedStage& planned : plan.stages) {
    for (const std::string& warning : planned.stage->warnings()) tell(warning);
    if (!planned.read_warnings) continue;
    for (const std::string& warning : planned.read_warnings()) tell(warning);
  }
}

void StageWarnings::tell(const std::string& warning) {
  if (told_.insert(warning).second) warn_(warning);
}

}  // namespace terrace::app
