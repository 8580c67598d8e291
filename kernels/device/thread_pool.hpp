// Threads that stay for the life of a context.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace terrace::device {

/// `size` threads, one of which is the caller of run_on_all().
class ThreadPool {
 public:
  /// @throws std::system_error if the system starts no more threads
  explicit ThreadPool(int size);
  /// Waits for the threads; nothing may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls work(index) once for every index in [0, size()), each on a thread of its own and all at the same time, and
  /// returns when all have returned. What one of them throws is thrown again (one, if several throw).
  /// Callers on several threads take turns. Not to be called from `work`.
  void run_on_all(const std::function<void(int)>& work);

 private:
  void close();
  void serve(int index);
  void call(const std::function<void(int)>& work, int index);

  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  int running_ = 0;
  bool closing_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

}  // namespace terrace::device
