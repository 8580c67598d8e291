// A few threads that do blocking input and output.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace terrace::io {

/// Runs tasks in the order in which they are posted, as many at a time as it has threads. Tasks must not throw.
/// The destructor runs what was posted and joins.
class IoThreads {
 public:
  /// @throws std::system_error where the system starts no more threads
  explicit IoThreads(int count);
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;
  ~IoThreads();

  int count() const { return static_cast<int>(threads_.size()); }
  /// From any thread, also from a task.
  void post(std::function<void()> task);

 private:
  void close();
  void work();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace terrace::io
