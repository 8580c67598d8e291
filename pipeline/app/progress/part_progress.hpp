// Progress of parts of a command's work, most of which are short.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "pipeline/app/progress/progress.hpp"

namespace terrace::app {

/// Shows a part once it takes longer than a moment.
class PartProgress {
 public:
  /// @param progress must outlive it
  explicit PartProgress(Progress& progress) : progress_(progress) {}

  /// `done` of `all` units of a part are done. Not for several threads at once.
  void show(const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all);

 private:
  using Clock = std::chrono::steady_clock;

  Progress& progress_;
  std::string part_;  // that is under way
  Clock::time_point begin_;
  bool shown_ = false;
  double done_before_ = 0;  // when it was first shown
};

}  // namespace terrace::app
