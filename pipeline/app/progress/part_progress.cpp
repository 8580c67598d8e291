#include "pipeline/app/progress/part_progress.hpp"

namespace terrace::app {
namespace {

constexpr auto short_part = std::chrono::milliseconds(500);

}  // namespace

void PartProgress::show(const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
  const auto now = Clock::now();
  if (part != part_) {
    part_ = part;
    begin_ = now;
    shown_ = false;
  }
  if (!shown_ && (now - begin_ < short_part || done >= all)) return;
  if (!shown_) done_before_ = static_cast<double>(done);
  shown_ = true;
  ProgressState state;
  state.stage = part;
  state.done = static_cast<double>(done);
  state.restored = done_before_;
  state.total = static_cast<double>(all);
  state.unit = unit;
  state.ended = done >= all;
  progress_.show(state);
}

}  // namespace terrace::app
