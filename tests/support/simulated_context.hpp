// A device without hardware: memory of its own (or the host's), three queues, random delays.
#pragma once

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "kernels/device/context.hpp"

namespace terrace::test {

/// Runs submitted work in order, on one thread, after random pauses.
class SlowQueue {
 public:
  SlowQueue(std::uint32_t seed, int longest_pause) : random_(seed), longest_pause_(longest_pause) {
    thread_ = std::thread([this] { work(); });
  }
  ~SlowQueue() {
    {
      std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  std::uint64_t submit(std::function<void()> task) {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
    return ++submitted_;
  }
  std::uint64_t submitted() {
    std::lock_guard lock(mutex_);
    return submitted_;
  }
  bool done(std::uint64_t ticket) {
    std::lock_guard lock(mutex_);
    if (ended_ < ticket) return false;
    if (error_) std::rethrow_exception(error_);
    return true;
  }
  void wait(std::uint64_t ticket) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ >= ticket; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closing_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      if (longest_pause_ > 0) {
        const auto pause = std::uniform_int_distribution<int>(0, longest_pause_)(random_);
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
      }
      std::exception_ptr error;
      try {
        task();
      } catch (...) {
        error = std::current_exception();
      }
      std::lock_guard lock(mutex_);
      if (error && !error_) error_ = error;
      ++ended_;
      changed_.notify_all();
    }
  }

  std::mt19937 random_;
  int longest_pause_;  // microseconds
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::uint64_t submitted_ = 0, ended_ = 0;
  std::exception_ptr error_;
  bool closing_ = false;
  std::thread thread_;
};

class SlowEvent : public device::Event {
 public:
  SlowEvent(SlowQueue& queue, std::uint64_t ticket) : queue_(queue), ticket_(ticket) {}
  bool done() override { return queue_.done(ticket_); }
  void wait() override { queue_.wait(ticket_); }
  double seconds_since(const device::Event&) const override { return 0; }

 private:
  SlowQueue& queue_;
  std::uint64_t ticket_;
};

class SimulatedContext : public device::Context {
 public:
  /// @param shares true if kernels work in host memory, as on the CPU
  /// @param longest_pause microseconds before each copy and launch, at most
  explicit SimulatedContext(bool shares, std::uint32_t seed = 1, int longest_pause = 0)
      : shares_(shares), up_(seed, longest_pause), down_(seed + 1, longest_pause), compute_(seed + 2, longest_pause) {
    limits_.name = "simulated";
    limits_.kind = "simulated";
    limits_.memory_bytes = limits_.free_bytes = std::size_t{1} << 40;
  }
  ~SimulatedContext() override = default;

  bool peers = true;                                  // true if it copies from other devices directly
  std::function<void(std::size_t)> on_allocate_host;  // called with the bytes, if set

  const device::Limits& limits() const override { return limits_; }
  bool shares_host_memory() const override { return shares_; }
  void* allocate(std::size_t bytes) override { return poisoned(bytes); }
  void release(void* memory, std::size_t) noexcept override { std::free(memory); }
  void* allocate_host(std::size_t bytes) override {
    if (on_allocate_host) on_allocate_host(bytes);
    return poisoned(bytes);
  }
  void release_host(void* memory, std::size_t) noexcept override { std::free(memory); }
  void copy(device::Queue queue, void* target, const void* source, std::size_t bytes) override {
    of(queue).submit([=] { std::memcpy(target, source, bytes); });
  }
  bool reaches(const device::Context& other) override { return &other == this || peers; }
  void submit(std::function<void()> launch) override { compute_.submit(std::move(launch)); }
  std::unique_ptr<device::Event> record(device::Queue queue) override {
    return std::make_unique<SlowEvent>(of(queue), of(queue).submitted());
  }

 private:
  /// Memory that nobody wrote must not look like a result.
  static void* poisoned(std::size_t bytes) {
    void* memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    std::memset(memory, 0xA5, bytes);
    return memory;
  }
  SlowQueue& of(device::Queue queue) {
    return queue == device::Queue::up ? up_ : queue == device::Queue::down ? down_ : compute_;
  }

  bool shares_;
  device::Limits limits_;
  SlowQueue up_, down_, compute_;
};

}  // namespace terrace::test
