#include "pipeline/app/progress/time_limit.hpp"

#include <algorithm>
#include <cstdlib>

#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double longest_limit = 1e9;  // seconds

constexpr double most_margin = 30, margin_share = 0.05;
constexpr auto look_every = std::chrono::milliseconds(50);

TimeSpan span_of(double seconds) {
  const auto now = TimeSpan::Clock::now();
  const std::chrono::duration<double> length(seconds);
  return {now, now + std::chrono::duration_cast<TimeSpan::Clock::duration>(length)};
}

/// Seconds from now to the end that the scheduler has set.
std::optional<double> scheduled() {
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const double at = std::strtod(text, &end);
  if (end == text || *end != '\0') return std::nullopt;
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return std::clamp(at - now, 0.0, longest_limit);
}

}  // namespace

double TimeSpan::margin() const { return std::min(most_margin, margin_share * seconds()); }

std::optional<double> parse_time_limit(std::string_view text) {
  const auto seconds = parse_duration(text, true);
  return seconds && *seconds > 0 && *seconds <= longest_limit ? seconds : std::nullopt;
}

std::optional<TimeSpan> time_span(const std::string& limit) {
  if (!limit.empty()) return span_of(parse_time_limit(limit).value());
  if (const auto seconds = scheduled()) return span_of(*seconds);
  return std::nullopt;
}

TimeLimit::TimeLimit(const std::optional<TimeSpan>& span, StopSignals& signals, StopOutlook& outlook)
    : signals_(signals), outlook_(outlook) {
  if (span) watcher_ = std::thread([this, span] { watch(*span); });
}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  closes_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void TimeLimit::watch(TimeSpan span) {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    if (span.seconds_left() <= std::max(span.margin(), outlook_.seconds())) {
      outlook_.limit_comes();
      return signals_.request();
    }
    closes_.wait_for(lock, look_every);
  }
}

}  // namespace terrace::app
