#include "kernels/device/thread_pool.hpp"

#include <system_error>
#include <utility>

namespace terrace::device {

ThreadPool::ThreadPool(int size) {
  try {
    for (int index = 1; index < size; ++index) workers_.emplace_back([this, index] { serve(index); });
  } catch (const std::system_error&) {
    close();
    throw;
  }
}

ThreadPool::~ThreadPool() { close(); }

void ThreadPool::close() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  begun_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run_on_all(const std::function<void(int)>& work) {
  std::lock_guard turn(turn_);
  {
    std::lock_guard lock(mutex_);
    work_ = &work;
    running_ = size();
    failure_ = nullptr;
    ++round_;
  }
  begun_.notify_all();
  call(work, 0);
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return running_ == 0; });
  work_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::serve(int index) {
  std::uint64_t served = 0;
  for (;;) {
    const std::function<void(int)>* work = nullptr;
    {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, [&] { return closing_ || round_ != served; });
      if (closing_) return;
      served = round_;
      work = work_;
    }
    call(*work, index);
  }
}

void ThreadPool::call(const std::function<void(int)>& work, int index) {
  std::exception_ptr failure;
  try {
    work(index);
  } catch (...) {
    failure = std::current_exception();
  }
  std::lock_guard lock(mutex_);
  if (failure && !failure_) failure_ = failure;
  if (--running_ == 0) ended_.notify_all();
}

}  // namespace terrace::device
