// From a job to something that can be run: devices, budgets, a plan.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// The devices of a run, opened, and what they may use.
struct Machine {
  std::vector<std::unique_ptr<device::Context>> contexts;
  stages::Resources resources;

  std::vector<device::Context*> devices() const;
};

/// Opens the devices that the job names. What its inputs keep in memory is taken off the host's budget.
/// @param cpu where the job leaves the choice: the CPU, whatever else there is
/// @throws JobError where it asks for what is not there, or inputs leave nothing of the budget; DeviceError
Machine open_machine(const job::OpenJob& open, bool cpu = false);

/// What defines the result, fixes its bits, and was read: what a run that goes on, and a result that is there, are
/// compared with.
struct Signature {
  nlohmann::json identity, fixed, inputs;
};
Signature signature_of(const job::OpenJob& open, const Machine& machine);

/// `Signature::inputs` as it is now.
nlohmann::json inputs_of(const job::OpenJob& open);

/// The first difference between what was run and what is to be run, for people; nothing where there is none. Where
/// the files of inputs lie is none: a folder may move as a whole.
/// @param states whether another size or time of an input's file is a difference
std::optional<std::string> difference(const Signature& before, const Signature& now, bool states);

/// Plans the job anew. Where it leaves the choice, and a stage is computed on the CPU alone, all of it is planned for
/// the CPU: `machine` is opened again, and `tell` is called with the reason.
run::RunPlan make_new_plan(const job::OpenJob& open, Machine& machine, const Stages& stages,
                           const std::function<void(const std::string&)>& tell);

/// Plans the job. @param begun plan.json of the run that is gone on with; null: none
run::RunPlan make_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages,
                       const nlohmann::json* begun);

}  // namespace terrace::app
