#include "io/files/io_threads.hpp"

#include <iterator>
#include <system_error>

namespace terrace::io {

IoThreads::IoThreads(int count) : count_(count) {
  if (count > 0) begin_thread();
}

void IoThreads::begin_thread() {
  threads_.emplace_back([this] { work(); });
}

IoThreads::~IoThreads() { close(); }

void IoThreads::close() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void IoThreads::post(std::function<void()> task) { add(tasks_, std::move(task)); }
void IoThreads::post_urgent(std::function<void()> task) { add(urgent_, std::move(task)); }

void IoThreads::add(Tasks& tasks, std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks.push_back(std::move(task));
    if (!ending_ && tasks_.size() + urgent_.size() > idle_ && std::ssize(threads_) < count_) {
      try {
        begin_thread();
      } catch (const std::system_error&) {
        // The threads there are do the task.
      }
    }
  }
  arrived_.notify_one();
}

void IoThreads::work() {
  for (std::unique_lock lock(mutex_);;) {
    ++idle_;
    arrived_.wait(lock, [this] { return ending_ || !tasks_.empty() || !urgent_.empty(); });
    --idle_;
    Tasks& tasks = urgent_.empty() ? tasks_ : urgent_;
    if (tasks.empty()) return;
    std::function<void()> task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // release its captures outside the lock
    lock.lock();
  }
}

}  // namespace terrace::io
