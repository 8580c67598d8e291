// Settings of a run beside its plan: devices, budgets, and the functions that it reports to.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/run/run_plan.hpp"
#include "pipeline/run/stage.hpp"

namespace terrace::run {

struct RunSettings {
  std::vector<device::Context*> devices;
  device::Context* cpu = nullptr;    // beside them, for stages and blocks that the CPU computes
  std::size_t host_budget = 0;       // for tiles
  std::size_t window_bytes = 0;      // in addition, for the window of the next blocks: see window_share()
  std::size_t device_budget = 0;     // of each device; the stage's workspace included
  double checkpoint_seconds = 0;     // 0: automatic
  std::atomic<int>* stop = nullptr;  // not 0: stop at a checkpoint
  std::function<void(const std::string& stage, const StageProgress&, const Prediction&)> report;
  std::function<void(const std::string&)> warn;
  std::function<nlohmann::json()> inputs_now;  // as RunPlan::inputs; if set, called at the end
};

/// Watches work of a run beside its stages, and reports it as they are reported. It throws Stopped if the run is to
/// stop. @param settings outlives it
Watch watch_of(const RunSettings& settings);

/// Bytes of memory.host that the executor keeps for the window of the next blocks.
std::size_t window_share(std::size_t host_memory);

/// The devices that compute a stage; the CPU may compute some of its blocks beside them.
std::vector<device::Context*> devices_of(const PlannedStage& stage, const RunSettings& settings);
/// True if the CPU computes the stage or some of its blocks, beside the devices of the run.
bool uses_cpu(const PlannedStage& stage);

}  // namespace terrace::run
