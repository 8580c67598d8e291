// A few threads that do blocking input and output.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace terrace::io {

/// Runs tasks in the order in which they are posted, urgent tasks before others, up to `count` at a time. Tasks must
/// not throw. Threads begin when tasks wait for them: most runs need few. The destructor runs the posted tasks and
/// joins.
class IoThreads {
 public:
  /// Begins one thread. @throws std::system_error if the system starts no more
  explicit IoThreads(int count);
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;
  ~IoThreads();

  int count() const { return count_; }
  /// From any thread, also from a task.
  void post(std::function<void()> task);
  void post_urgent(std::function<void()> task);

 private:
  using Tasks = std::deque<std::function<void()>>;

  void add(Tasks& tasks, std::function<void()> task);
  void begin_thread();
  void close();
  void work();

  const int count_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  Tasks tasks_, urgent_;
  std::size_t idle_ = 0;  // threads that wait for a task
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace terrace::io
