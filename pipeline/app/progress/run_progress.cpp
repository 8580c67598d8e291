#include "pipeline/app/progress/run_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/base/units.hpp"

namespace terrace::app {

ProgressState shown_progress(const run::RunPlan& plan, const std::string& stage, const run::StageProgress& state,
                             const run::Prediction& prediction) {
  ProgressState shown;
  shown.stage = stage;
  shown.stages = static_cast<std::int64_t>(plan.stages.size());
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    if (plan.stages[i].name == stage) shown.number = static_cast<std::int64_t>(i) + 1;
  }
  shown.done = state.operations;
  shown.restored = state.restored_operations;
  shown.total = prediction.operations;
  shown.unit = prediction.unit;
  shown.expected = prediction.operations_per_second;
  shown.ended = state.ended;
  return shown;
}

void StopOutlook::note(const run::StageProgress& state) {
  dirty_bytes_ = static_cast<double>(state.dirty_bytes);
  disk_rate_ = state.disk_rate;
  const bool is_first = !computing_.exchange(true) || state.done_blocks < done_blocks_;
  if (state.done_blocks == done_blocks_) return;
  const auto now = Clock::now();
  if (!is_first) longest_ = std::max(longest_.load(), std::chrono::duration<double>(now - last_end_).count());
  last_end_ = now;
  done_blocks_ = state.done_blocks;
}

double StopOutlook::seconds() const {
  const double bytes = dirty_bytes_, rate = disk_rate_;
  return 2 * bytes / std::max(rate, 1.0) + longest_;
}

std::string StopOutlook::notice() const {
  constexpr const char* second = "; a second signal stops at once";
  const std::string reason = limit_comes_ ? "the time limit comes: " : "";
  if (!computing_) return reason + "stopping before the first block" + second;
  const double bytes = dirty_bytes_, rate = disk_rate_;
  std::string text = reason + "stopping at a checkpoint: when the blocks under way have ended";
  if (bytes > 0) {
    text += fmt::format(", {} to write, about {} at {}", format_size(bytes), format_duration(bytes / rate),
                        format_rate(rate, "B/s"));
  }
  return text + second;
}

}  // namespace terrace::app
