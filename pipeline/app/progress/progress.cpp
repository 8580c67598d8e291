#include "pipeline/app/progress/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double live_interval = 0.2;
constexpr double plain_interval = 30;
/// Before that, a rate is not meaningful.
constexpr double first_rate_after = 0.5;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProgressStyle progress_style(int file_descriptor, bool quiet) {
  if (quiet) return ProgressStyle::none;
  return isatty(file_descriptor) ? ProgressStyle::live : ProgressStyle::plain;
}

std::string progress_line(const ProgressState& state, double seconds, double since) {
  std::string line = state.stage;
  if (state.stages > 1 && state.number > 0) line += fmt::format(" ({} of {})", state.number, state.stages);
  line += ": ";
  // Never 100.0% before all is done.
  const bool all = state.ended || state.done >= state.total;
  const double percent = state.total > 0 ? std::min(100.0, 100 * state.done / state.total) : 0;
  if (state.total > 0) line += fmt::format("{:.1f}%", all ? 100.0 : std::min(percent, 99.9));
  else line += format_count(state.done, state.unit);
  const double here = state.done - state.restored, left = state.ended ? 0 : state.total - state.done;
  if (seconds < first_rate_after || here <= 0) {
    const double expected = state.expected > 0 ? left / state.expected - seconds : 0;
    return expected > 0 ? line + ", about " + format_duration(expected) + " left" : line;
  }
  // The time in which `done` was done: later time belongs to the next block.
  const double passed = std::max(seconds - since, first_rate_after);
  line += ", " + format_rate(here / passed, state.unit + "/s");
  if (left <= 0) return line;
  const double counted_down = left * passed / here - (seconds - passed);
  return line + ", " + format_duration(counted_down > 0 ? counted_down : left * seconds / here) + " left";
}

Progress::Progress(std::ostream& stream, ProgressStyle style, Clock clock, Columns columns)
    : stream_(stream),
      style_(style),
      clock_(clock ? std::move(clock) : steady_seconds),
      columns_(columns ? std::move(columns) : [] { return std::size_t{0}; }) {}

void Progress::show(const ProgressState& state) {
  if (style_ == ProgressStyle::none) return;
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  if (!is_due(state, now)) return;
  last_shown_ = now;
  print(progress_line(state, now - stage_start_, now - done_since_));
}

bool Progress::is_due(const ProgressState& state, double now) {
  if (state.stage != stage_) {
    stage_ = state.stage;
    stage_start_ = done_since_ = now;
    done_ = state.done;
    return true;
  }
  if (state.done != std::exchange(done_, state.done)) done_since_ = now;
  if (state.ended) return true;
  return now - last_shown_ >= (style_ == ProgressStyle::live ? live_interval : plain_interval);
}

void Progress::print(const std::string& line) {
  if (style_ != ProgressStyle::live) {
    stream_ << line << std::endl;
    return;
  }
  const std::size_t columns = columns_();
  // The last column stays free: some terminals begin a new line once it is filled.
  const std::string fitting = columns > 1 ? line.substr(0, columns - 1) : line;
  stream_ << erasure() << fitting << std::flush;
  line_stands_ = true;
  drawn_ = fitting.size();
}

/// The sequence that erases the live line; it fills several rows if the terminal has become narrower.
std::string Progress::erasure() const {
  const std::size_t columns = columns_();
  const std::size_t rows = line_stands_ && columns > 0 && drawn_ > 0 ? (drawn_ - 1) / columns : 0;
  return rows == 0 ? std::string(clear_line) : fmt::format("\x1b[{}A\r\x1b[J", rows);
}

void Progress::say(const std::string& line) {
  if (style_ == ProgressStyle::none) return;
  const std::lock_guard lock(mutex_);
  clear();
  stream_ << line << std::endl;
}

void Progress::clear() {
  if (!line_stands_) return;
  stream_ << erasure() << std::flush;
  line_stands_ = false;
}

void Progress::finish() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    clear();
  } catch (...) {
    // A stream that cannot be written is no reason to fail: progress is not the result of the command.
  }
}

}  // namespace terrace::app
