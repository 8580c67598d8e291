// From a job to something that can be run: devices, budgets, a plan.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// The opened device of a run, and the resources that it may use.
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

/// Opens the first of the devices that the job names: a run uses one. Memory that its inputs keep is taken off the
/// host's budget.
/// @param cpu use the CPU if the job does not choose, even if there are other devices
/// @throws NoDevice; JobError if inputs leave nothing of the budget; DeviceError
Machine open_machine(const job::OpenJob& open, bool cpu = false);

/// Plans a new run of the job. If the job does not choose the device, and a stage runs on the CPU only, the whole job
/// is planned for the CPU: `machine` is opened again, and `tell` is called with the reason.
run::RunPlan make_new_plan(const job::OpenJob& open, Machine& machine, const Stages& stages,
                           const std::function<void(const std::string&)>& tell);

/// Plans the job. @param begun plan.json of the interrupted run to resume; null: none
/// @throws JobError with the errors of all stages, except stages that read from a stage with an error;
/// stages::CpuOnly if the job leaves the choice
run::RunPlan make_plan(const job::OpenJob& open, const Machine& machine, const Stages& stages,
                       const nlohmann::json* begun);

/// Checks that the job can be planned, without reading arrays that may be large. If its device is missing
/// here, it is planned for the CPU, with any memory, and `warn` is called with the reason.
/// @throws JobError as make_plan() does
void check_plan(const job::OpenJob& open, const Stages& stages, const std::function<void(const std::string&)>& warn);

}  // namespace terrace::app
