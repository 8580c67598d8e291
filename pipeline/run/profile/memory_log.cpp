#include "pipeline/run/profile/memory_log.hpp"

#include <algorithm>
#include <utility>

namespace terrace::run {

void MemoryLog::add(const MemoryRecord& now) {
  Location& location = location_of(now.device);
  if (location.last == none ? now.bytes == 0 : now.bytes == location.held) return;
  if (location.last != none) {
    MemoryRecord& last = records_[location.last];
    if (now.stage == last.stage && now.time < last.time + step_) {
      last.bytes = std::max(last.bytes, now.bytes);
      location.held = now.bytes;
      return;
    }
    if (last.bytes != location.held) append(location, {last.stage, now.device, last.time + step_, location.held});
  }
  append(location, now);
  if (records_.size() > most_records) thin_out();
}

void MemoryLog::end_stage(double time) {
  for (std::size_t at = 0; at < locations_.size(); ++at) {
    Location& location = locations_[at];
    if (location.last == none || location.held == 0) continue;
    const MemoryRecord last = records_[location.last];
    append(location, {last.stage, last.device, std::max(time, last.time + step_), 0});
  }
}

MemoryLog::Location& MemoryLog::location_of(int device) {
  const auto at = static_cast<std::size_t>(device + 1);
  if (at >= locations_.size()) locations_.resize(at + 1);
  return locations_[at];
}

void MemoryLog::append(Location& location, const MemoryRecord& record) {
  location.last = records_.size();
  location.held = record.bytes;
  records_.push_back(record);
}

void MemoryLog::thin_out() {
  while (records_.size() > most_records / 2) {
    const std::size_t before = records_.size();
    MemoryLog longer;
    longer.step_ = 2 * step_;
    for (const MemoryRecord& record : records_) longer.add(record);
    *this = std::move(longer);
    if (records_.size() == before && step_ > 1e6) return;  // as many stages and devices: all are needed
  }
}

}  // namespace terrace::run
