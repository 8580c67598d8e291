// Calls that other threads post to the executor's thread when they have finished work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>

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

  /// Makes all queued calls. @return true if there were any. If a call throws, later calls stay in the queue.
  bool drain() {
    std::deque<Call> calls;
    {
      std::lock_guard lock(mutex_);
      calls.swap(calls_);
    }
    const bool any = !calls.empty();
    try {
      while (!calls.empty()) {
        const Call call = std::move(calls.front());
        calls.pop_front();
        call();
      }
    } catch (...) {
      std::lock_guard lock(mutex_);
      calls_.insert(calls_.begin(), std::make_move_iterator(calls.begin()), std::make_move_iterator(calls.end()));
      throw;
    }
    return any;
  }

  /// Blocks until a call is queued or the time is over.
  void wait_for(std::chrono::microseconds time) {
    std::unique_lock lock(mutex_);
    posted_.wait_for(lock, time, [&] { return !calls_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Call> calls_;
};

}  // namespace terrace::run
