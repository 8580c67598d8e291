// The memory that the kernels of a block of a nest share on CUDA.
#pragma once

#include "kernels/nest/task.hpp"

namespace terrace::nest {

struct NestState {
  device::u64 begun;    // 0: the launch was stopped, and the block's kernels do nothing
  device::u64 aborted;  // not 0: the host wants no result any more, and the block counts as not begun
  device::u64 failed;   // not 0: an element that no statement writes has no value, and no tiles are made
  device::u64 lock;     // of `result`
  device::u64 least;    // the first cell that has no value, by its number among the block's
  NestResult result;
  NestTask task;
};

inline constexpr int begin_threads = 256, rest_threads = 128;

}  // namespace terrace::nest
