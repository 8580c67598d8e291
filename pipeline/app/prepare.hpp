// From a job to something that can be run: devices, budgets, a plan.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// Opened devices of one back end, and the resources of the stages that they compute.
struct Processors {
  std::vector<std::unique_ptr<device::Context>> contexts;
  stages::Resources resources;

  std::vector<device::Context*> devices() const;
};

/// The opened devices of a run, and the resources that it may use.
struct Machine {
  Processors main;                     // CUDA devices, or the CPU
  std::optional<Processors> cpu = {};  // beside CUDA devices, if the job leaves the choice
  std::string note;                    // on devices that are left out; empty if none is

  /// True if stages are planned for CUDA devices unless only the CPU computes them.
  bool cuda() const { return main.resources.cuda; }
};

/// What a run of the plan takes of the machine: devices and budgets.
run::RunSettings settings_on(const Machine& machine);

/// The job asks for a device that is not here.
class NoDevice : public JobError {
 public:
  using JobError::JobError;
};

/// Opens the devices that the job names: all of them if one of its stages deals blocks to several devices, else the
/// first one. Memory that its inputs keep is taken off the host's budget.
/// @param cpu use the CPU if the job does not choose, even if there are other devices
/// @throws NoDevice; JobError if inputs leave nothing of the budget; DeviceError
Machine open_machine(const job::OpenJob& open, const Stages& stages, bool cpu = false);

struct TakenOver;

/// Plans the job. Where it leaves the choice, a stage that only the CPU computes is planned for the CPU.
/// @param begun plan.json of the run that is gone on with; null: none
/// @param taken stages that are not planned, since another result holds what they give; of a run that begins
/// @param watch of what is read to plan, and of what the plan's stages read beside blocks while it is run
/// @throws JobError with what is wrong with any of the stages, but those that read what a wrong one writes
run::RunPlan make_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages,
                       const nlohmann::json* begun, const Watch& watch, const TakenOver& taken);

/// Calls `tell` for each stage that is planned for the CPU beside other devices, with the reason.
void tell_of_cpu(const run::RunPlan& plan, const std::function<void(const std::string&)>& tell);

/// Checks that the job can be planned, without reading arrays that may be large. If its device is missing
/// here, it is planned for the CPU, with any memory, and `warn` is called with the reason.
/// @throws JobError as make_plan() does
void check_plan(const job::OpenJob& open, const Stages& stages, const std::function<void(const std::string&)>& warn);

}  // namespace terrace::app
