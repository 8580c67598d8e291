// A few threads that do blocking input and output.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace terrace::io {

/// Runs tasks in the order in which they are posted, urgent tasks before others, as many at a time as it has threads.
/// Tasks must not throw.
/// The destructor runs the posted tasks and joins.
class IoThreads {
 public:
  /// @throws std::system_error if the system starts no more threads
  explicit IoThreads(int count);
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;
  ~IoThreads();

  int count() const { return static_cast<int>(threads_.size()); }
  /// From any thread, also from a task.
  void post(std::function<void()> task);
  void post_urgent(std::function<void()> task);

 private:
  using Tasks = std::deque<std::function<void()>>;

  void add(Tasks& tasks, std::function<void()> task);
  void close();
  void work();

  std::mutex mutex_;
  std::condition_variable arrived_;
  Tasks tasks_, urgent_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace terrace::io
