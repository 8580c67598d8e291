// The common base of kernels on the CPU whose threads all work on one block after another.
#pragma once

#include <algorithm>
#include <atomic>

#include "kernels/device/thread_pool.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/launch/cpu_launch.hpp"

namespace terrace::device {

/// Blocks with descriptors of type Task and results of type Result.
template <class Task, class Result>
class CpuBlocks : public BlockKernel {
 public:
  explicit CpuBlocks(ThreadPool& pool) : pool_(pool) {}

  void run(const Port& port) override {
    abort_ = port.abort;
    compute_in_order<Task, Result>(port, [&](const Task& task, Result& result) {
      result = compute(task);
      return !aborted();
    });
  }

 protected:
  /// Computes a block; may leave it in any state once aborted().
  virtual Result compute(const Task& task) = 0;

  int threads() const { return pool_.size(); }
  bool aborted() const { return is_set(*abort_); }

  /// Calls work(number, thread) for every number in [0, count), on threads as they become free.
  template <class Work>
  void in_turn(i64 count, const Work& work) {
    std::atomic<i64> next{0};
    const auto take = [&](int thread) {
      for (i64 number = next++; number < count && !aborted(); number = next++) work(number, thread);
    };
    if (count == 1) take(0);
    else pool_.run_on_all(take);
  }

 private:
  ThreadPool& pool_;
  u64* abort_ = nullptr;
};

}  // namespace terrace::device
