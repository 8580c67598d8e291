// One block computed by a kernel of the CPU, for kernels that are made of another one, and for plain programs.
#pragma once

#include "kernels/launch/block_kernel.hpp"

namespace terrace::device {

/// Computes a block on the calling thread and the kernel's own. @param abort as Port::abort
/// @return false if the kernel left it: on abort, or since the block failed its checks
template <class Task, class Result>
bool compute_one(BlockKernel& kernel, const Task& task, Result& result, u64& abort) {
  u64 ready = 1, stop = 0, done = 0, failed = 0, skipped = 0;
  const Port port{&ready,  &stop, &abort,      &done,         &failed, &skipped, &task,
                  &result, 1,     sizeof task, sizeof result, 0,       1};
  kernel.run(port);
  return done == 1;
}

}  // namespace terrace::device
