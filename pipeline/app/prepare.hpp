// From a job to something that can be run: devices, budgets, a plan.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// The opened devices of a run, and the resources that it may use.
struct Machine {
  std::vector<std::unique_ptr<device::Context>> contexts;
  stages::Resources resources;
  std::string note;  // on devices that are left out; empty if none is

  std::vector<device::Context*> devices() const;
};

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

/// Opens the CPU in place of other devices.
void reopen_on_cpu(const job::OpenJob& open, Machine& machine, const Stages& stages);

struct TakenOver;
/// Decides which stages are not planned, since another result holds what they give; null: none.
using TakeOver = std::function<TakenOver(const Machine&)>;

/// Plans the job anew. Where it leaves the choice, and a stage is computed on the CPU alone, all of it is planned for
/// the CPU: `machine` is opened again, and `tell` is called with the reason. @param watch as make_plan() takes it
/// @param take_over called with the machine for which the job is planned
run::RunPlan make_new_plan(const job::OpenJob& open, Machine& machine, const Stages& stages,
                           const std::function<void(const std::string&)>& tell, const Watch& watch,
                           const TakeOver& take_over = nullptr);

/// Plans the job. @param begun plan.json of the run that is gone on with; null: none
/// @param taken stages that are not planned; of a run that begins
/// @param watch of what is read to plan, and of what the plan's stages read beside blocks while it is run
/// @throws JobError with what is wrong with any of the stages, but those that read what a wrong one writes;
/// stages::CpuOnly where the job leaves the choice
run::RunPlan make_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages,
                       const nlohmann::json* begun, const Watch& watch, const TakenOver& taken);

/// Checks that the job can be planned, without reading arrays that may be large. If its device is missing
/// here, it is planned for the CPU, with any memory, and `warn` is called with the reason.
/// @throws JobError as make_plan() does
void check_plan(const job::OpenJob& open, const Stages& stages, const std::function<void(const std::string&)>& warn);

}  // namespace terrace::app
