#include "pipeline/app/progress/part_progress.hpp"

namespace terrace::app {

void PartProgress::show(const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
  const auto now_done = static_cast<double>(done);
  if (part != part_ || now_done < done_) {
    part_ = part;
    done_before_ = now_done;
  }
  done_ = now_done;
  ProgressState state;
  state.stage = part;
  state.done = done_;
  state.restored = done_before_;
  state.total = static_cast<double>(all);
  state.unit = unit;
  state.ended = done >= all;
  progress_.show(state);
}

}  // namespace terrace::app
