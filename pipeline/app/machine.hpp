// The devices of a run, and the budgets of its stages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run_settings.hpp"
#include "stages/stage_kind.hpp"

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
  std::optional<Processors> cpu = {};  // beside CUDA devices
  std::string note;                    // on devices that are left out; empty if none is

  /// True if stages are planned for CUDA devices unless only the CPU computes them.
  bool cuda() const { return main.resources.cuda; }
};

/// The devices and budgets of the machine, as settings of a run.
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

}  // namespace terrace::app
