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
/// A stage that takes less time needs no progress.
constexpr double first_shown_after = 1;
/// Before that, a rate is not meaningful.
constexpr double first_rate_after = 0.5;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// ", 12 min left"; empty if it is less than a second.
std::string time_left(const char* about, double seconds) {
  return seconds >= 1 ? about + format_duration(seconds) + " left" : "";
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
    return line + (state.expected > 0 ? time_left(", about ", left / state.expected - seconds) : "");
  }
  // The time in which `done` was done: later time belongs to the next block.
  const double passed = std::max(seconds - since, first_rate_after);
  line += ", " + format_rate(here / passed, state.unit + "/s");
  if (left <= 0) return line;
  const double counted_down = left * passed / here - (seconds - passed);
  return line + time_left(", ", counted_down > 0 ? counted_down : left * seconds / here);
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
  Track& track = track_of(state, now);
  if (!is_due(track, now)) return;
  track.last_shown = now;
  track.shown = true;
  print(progress_line(state, now - track.begin, now - track.done_since));
}

Progress::Track& Progress::track_of(const ProgressState& state, double now) {
  const auto [found, is_new] = tracks_.try_emplace(state.stage);
  Track& track = found->second;
  if (is_new || track.ended || state.done < track.done) track = {now, state.done, now};
  if (state.done != std::exchange(track.done, state.done)) track.done_since = now;
  track.ended = state.ended;
  return track;
}

bool Progress::is_due(const Track& track, double now) const {
  if (track.ended) return track.shown;
  if (!track.shown) return now - track.begin >= first_shown_after;
  return now - track.last_shown >= (style_ == ProgressStyle::live ? live_interval : plain_interval);
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
