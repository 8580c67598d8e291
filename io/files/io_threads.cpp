#include "io/files/io_threads.hpp"

#include <system_error>

namespace terrace::io {

IoThreads::IoThreads(int count) {
  try {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    close();
    throw;
  }
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
  }
  arrived_.notify_one();
}

void IoThreads::work() {
  for (std::unique_lock lock(mutex_);;) {
    arrived_.wait(lock, [this] { return ending_ || !tasks_.empty() || !urgent_.empty(); });
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
