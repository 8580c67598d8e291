// A serial queue of launches with a thread of its own, for devices whose launches block.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "kernels/device/context.hpp"

namespace terrace::device {

/// State that an event of the queue shares with the queue.
struct EventState {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  std::chrono::steady_clock::time_point time;
};

/// An event that is done when its state says so.
class QueueEvent : public Event {
 public:
  explicit QueueEvent(std::shared_ptr<EventState> state) : state_(std::move(state)) {}
  bool done() override;
  void wait() override;
  double seconds_since(const Event& earlier) const override;

 private:
  std::shared_ptr<EventState> state_;
};

/// Runs launches one after another. What one throws goes to the next event recorded.
class ComputeQueue {
 public:
  ComputeQueue();
  /// Waits for all launches.
  ~ComputeQueue();
  ComputeQueue(const ComputeQueue&) = delete;
  ComputeQueue& operator=(const ComputeQueue&) = delete;

  void submit(std::function<void()> launch);
  std::unique_ptr<Event> record();

 private:
  void push(std::function<void()> work);
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool closing_ = false;
  std::exception_ptr failure_;  // of the thread alone
  std::thread thread_;
};

/// Marks `state` as done now, with the first failure before it.
void complete(EventState& state, std::exception_ptr failure);

}  // namespace terrace::device
