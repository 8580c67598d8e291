#include "pipeline/app/progress/time_limit.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace terrace::app {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 6> units = {
    {{"d", 86400}, {"h", 3600}, {"min", 60}, {"m", 60}, {"s", 1}, {"ms", 1e-3}}};
constexpr double longest_limit = 1e9;  // seconds

constexpr double most_margin = 30, margin_share = 0.05;
constexpr auto look_every = std::chrono::milliseconds(50);

std::optional<double> seconds_of_unit(std::string_view name) {
  for (const auto& [unit, seconds] : units) {
    if (unit == name) return seconds;
  }
  return std::nullopt;
}

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
  double seconds = 0;
  while (!text.empty()) {
    double number = 0;
    const bool begins_as_number = text[0] >= '0' && text[0] <= '9';
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (!begins_as_number || error != std::errc{} || !std::isfinite(number)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::size_t length = std::min(text.find_first_of("0123456789 "), text.size());
    const auto unit = seconds_of_unit(text.substr(0, length));
    if (!unit) return std::nullopt;
    seconds += number * *unit;
    text.remove_prefix(std::min(text.find_first_not_of(' ', length), text.size()));
  }
  if (!(seconds > 0) || seconds > longest_limit) return std::nullopt;
  return seconds;
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
