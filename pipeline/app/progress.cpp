#include "pipeline/app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double live_interval = 0.2;
constexpr double plain_interval = 30;
/// Before that, a rate says nothing.
constexpr double first_rate_after = 0.5;
constexpr const char* clear_line = "\r\x1b[K";

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProgressStyle progress_style(int file_descriptor, bool quiet) {
  if (quiet) return ProgressStyle::none;
  return isatty(file_descriptor) ? ProgressStyle::live : ProgressStyle::plain;
}

std::string progress_line(const ProgressState& state, double seconds) {
  std::string line = state.stage;
  if (state.stages > 1 && state.number > 0) line += fmt::format(" ({} of {})", state.number, state.stages);
  line += ": ";
  // Never 100.0% before all is done.
  const double percent = state.total > 0 ? std::min(100.0, 100 * state.done / state.total) : 0;
  if (state.total > 0) line += fmt::format("{:.1f}%", state.done < state.total ? std::min(percent, 99.9) : percent);
  else line += format_count(state.done) + " " + state.unit + "s";
  const double here = state.done - state.restored;
  if (seconds < first_rate_after || here <= 0) return line;
  line += ", " + format_rate(here / seconds, state.unit + "/s");
  if (state.total > state.done) line += ", " + format_duration((state.total - state.done) * seconds / here) + " left";
  return line;
}

Progress::Progress(std::ostream& stream, ProgressStyle style, Clock clock)
    : stream_(stream), style_(style), clock_(clock ? std::move(clock) : steady_seconds) {}

void Progress::show(const ProgressState& state) {
  if (style_ == ProgressStyle::none) return;
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  if (!is_due(state, now)) return;
  last_shown_ = now;
  print(progress_line(state, now - stage_start_));
}

bool Progress::is_due(const ProgressState& state, double now) {
  if (state.stage != stage_) {
    stage_ = state.stage;
    stage_start_ = now;
    return true;
  }
  return now - last_shown_ >= (style_ == ProgressStyle::live ? live_interval : plain_interval);
}

void Progress::print(const std::string& line) {
  if (style_ == ProgressStyle::live) stream_ << clear_line << line << std::flush;
  else stream_ << line << std::endl;
  line_stands_ = style_ == ProgressStyle::live;
}

void Progress::say(const std::string& line) {
  if (style_ == ProgressStyle::none) return;
  const std::lock_guard lock(mutex_);
  clear();
  stream_ << line << std::endl;
}

void Progress::clear() {
  if (std::exchange(line_stands_, false)) stream_ << clear_line << std::flush;
}

void Progress::finish() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    clear();
  } catch (...) {
    // A stream that cannot be written is no reason to fail: progress is not what was asked for.
  }
}

}  // namespace terrace::app
