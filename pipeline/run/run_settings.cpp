#include "pipeline/run/run_settings.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"

namespace terrace::run {

Watch watch_of(const RunSettings& settings) {
  return [&settings](const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
    if (settings.stop != nullptr && settings.stop->load() != 0) {
      throw Stopped("stopped while " + part + "; the same command goes on");
    }
    if (!settings.report) return;
    StageProgress progress;
    progress.operations = static_cast<double>(done);
    Prediction prediction;
    prediction.unit = unit;
    prediction.operations = static_cast<double>(all);
    settings.report(part, progress, prediction);
  };
}

std::size_t window_share(std::size_t host_memory) {
  constexpr std::size_t most = 16u << 20;   // thousands of blocks
  constexpr std::size_t least = 64u << 10;  // the share is a multiple of it; a thousand blocks are kept in any memory
  return std::min(most, host_memory / 32 / least * least);
}

std::vector<device::Context*> devices_of(const PlannedStage& stage, const RunSettings& settings) {
  return stage.on_cpu ? std::vector{settings.cpu} : settings.devices;
}

bool uses_cpu(const PlannedStage& stage) { return stage.on_cpu.has_value() || stage.stage->plan().uses_host(); }

}  // namespace terrace::run
