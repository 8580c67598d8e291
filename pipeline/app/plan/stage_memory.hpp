// The choice of the memory that a stage takes.
//
// More memory than helps costs time: the system gives each page out at its first use, and a plan that has memory for
// all of its arrays reads, computes and writes them one after another, in one piece. So a stage is also planned for
// smaller budgets, and the plan counts that is expected to end first (run::predicted_seconds). The rule is the same
// for all stages, which need not know of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "pipeline/base/json_library.hpp"
#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::app {

/// A stage, and the bytes of host memory that it may take.
struct StageInMemory {
  std::unique_ptr<run::Stage> stage;
  std::size_t host_budget = 0;
};

/// Makes a stage for budgets, by the choices of a plan unless these are null.
/// @throws JobError if the budgets hold no block
using StageMaker =
    std::function<std::unique_ptr<run::Stage>(const stages::Resources&, const nlohmann::json* choices)>;

/// The stage with the plan and the memory that are expected to take the least time, within the budgets.
/// @param whole the stage as it is made for all of the budgets
/// @param fixed true if its results depend on its choices: they are those of `whole`
StageInMemory in_best_memory(std::unique_ptr<run::Stage> whole, const stages::Resources& resources, bool fixed,
                             const StageMaker& make);

}  // namespace terrace::app
