// Warnings of settings that are valid but probably not intended.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "pipeline/job/job.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

using Warn = std::function<void(const std::string&)>;

/// Warns of a memory.host that is more than the memory of this machine, or than the limit of its control group.
void warn_of_budgets(const job::Job& job, const Warn& warn);

/// Warns that a run of the plan would be refused, because a disk has too little room for it.
void warn_of_disk(const job::Job& job, const run::RunPlan& plan, const Warn& warn);

/// Warns that a run on CUDA devices (`cuda`) is slow, if the kernels of this program are not optimised.
void warn_of_build(bool cuda, const Warn& warn);

/// Reports the warnings of stages, each once.
class StageWarnings {
 public:
  explicit StageWarnings(Warn warn) : warn_(std::move(warn)) {}

  /// To be called when the job is planned, and again after it was run: some warnings are only known then.
  void tell(const run::RunPlan& plan);

 private:
  void tell(const std::string& warning);

  Warn warn_;
  std::set<std::string> told_;
};

}  // namespace terrace::app
