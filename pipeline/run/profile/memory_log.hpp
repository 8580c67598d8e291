// The memory that a run holds, over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace terrace::run {

/// The bytes that one location holds from a time on, until its next record.
struct MemoryRecord {
  std::int64_t stage = 0;
  int device = -1;  // -1: the host
  double time = 0;  // seconds since the start of the run's first attempt
  std::int64_t bytes = 0;
};

/// Collects records. Changes within one step of time share a record, which has the most that was held; the step grows
/// so that there are few records, however long the run is.
class MemoryLog {
 public:
  static constexpr std::size_t most_records = 4096;

  /// Notes the bytes that a location of a stage holds now; called after every change. Times of a location do not go
  /// back.
  void add(const MemoryRecord& now);
  /// Notes that the stage holds nothing any more.
  void end_stage(double time);

  const std::vector<MemoryRecord>& records() const { return records_; }

 private:
  static constexpr double first_step = 1e-3;  // seconds
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The state of one location.
  struct Location {
    std::size_t last = none;  // its last record
    std::int64_t held = 0;    // now, which may be less than that record has
  };

  Location& location_of(int device);
  void append(Location& location, const MemoryRecord& record);
  void thin_out();

  std::vector<MemoryRecord> records_;
  std::vector<Location> locations_;  // the host, then one a device
  double step_ = first_step;
};

}  // namespace terrace::run
