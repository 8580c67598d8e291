#include "pipeline/app/progress/read_watch.hpp"

#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr auto time_to_end = std::chrono::seconds(2);

}  // namespace

Watch ReadWatch::watch() {
  return [this](const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
    check_stop();
    parts_.show(part, unit, done, all);
  };
}

void ReadWatch::check_stop() {
  if (signals_.flag() == 0) return;
  if (!computing_) {
    throw Stopped(begun_ ? "stopped before another block was computed; the same command continues from the last "
                           "checkpoint"
                         : "stopped before the first block was computed; the same command starts the run");
  }
  const auto now = Clock::now();
  if (!asked_) asked_ = now;
  if (now - *asked_ < time_to_end) return;
  throw Stopped(
      "stopped while what was computed was checked; the same command continues from the last checkpoint, if "
      "there is one");
}

}  // namespace terrace::app
