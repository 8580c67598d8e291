// The times at which a block was computed, and its device.
#pragma once

#include <cstdint>

namespace terrace::run {

/// One block, or a run of consecutive blocks of one phase when there are very many. Times are seconds since the start
/// of the run's first attempt, by the clock of the device.
struct BlockRecord {
  std::int64_t stage = 0, phase = 0, first = 0, count = 1;
  std::int64_t attempt = 1;  // of the run, from 1
  std::int32_t device = 0;
  std::int32_t attempts = 1;  // times that the attempt has begun it: repeats after failed checks count
  double operations = 0;
  double begin = 0, end = 0;
};

}  // namespace terrace::run
