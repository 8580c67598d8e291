// Progress of parts of a command's work beside the stages of a run.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/app/progress/progress.hpp"

namespace terrace::app {

/// Shows one part after another.
class PartProgress {
 public:
  /// @param progress must outlive it
  explicit PartProgress(Progress& progress) : progress_(progress) {}

  /// `done` of `all` units of a part are done. Not for several threads at once.
  void show(const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all);

 private:
  Progress& progress_;
  std::string part_;                   // that is under way
  double done_ = 0, done_before_ = 0;  // now, and when it began
};

}  // namespace terrace::app
