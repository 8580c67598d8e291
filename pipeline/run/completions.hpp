// What other threads have finished, handed to the executor's thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace terrace::run {

/// A queue of calls to be made on the executor's thread.
class Completions {
 public:
  using Call = std::function<void()>;

  void post(Call call) {
    std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
    posted_.notify_one();
  }

  /// Makes the calls that are there; whether there was one.
  bool drain() {
    std::vector<Call> calls;
    {
      std::lock_guard lock(mutex_);
      calls.swap(calls_);
    }
    for (Call& call : calls) call();
    return !calls.empty();
  }

  /// Blocks until a call is there or the time is over.
  void wait_for(std::chrono::microseconds time) {
    std::unique_lock lock(mutex_);
    posted_.wait_for(lock, time, [&] { return !calls_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<Call> calls_;
};

}  // namespace terrace::run
