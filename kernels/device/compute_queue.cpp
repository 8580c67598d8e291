#include "kernels/device/compute_queue.hpp"

#include <utility>

namespace terrace::device {

void complete(EventState& state, std::exception_ptr failure) {
  {
    std::lock_guard lock(state.mutex);
    state.time = std::chrono::steady_clock::now();
    state.failure = std::move(failure);
    state.done = true;
  }
  state.changed.notify_all();
}

bool QueueEvent::done() {
  std::lock_guard lock(state_->mutex);
  if (state_->failure) std::rethrow_exception(state_->failure);
  return state_->done;
}

void QueueEvent::wait() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->done; });
  if (state_->failure) std::rethrow_exception(state_->failure);
}

double QueueEvent::seconds_since(const Event& earlier) const {
  const auto& first = dynamic_cast<const QueueEvent&>(earlier);
  return std::chrono::duration<double>(state_->time - first.state_->time).count();
}

ComputeQueue::ComputeQueue() : thread_([this] { serve(); }) {}

ComputeQueue::~ComputeQueue() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ComputeQueue::submit(std::function<void()> launch) {
  push([this, launch = std::move(launch)] {
    try {
      launch();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  });
}

std::unique_ptr<Event> ComputeQueue::record() {
  auto state = std::make_shared<EventState>();
  push([this, state] { complete(*state, std::exchange(failure_, nullptr)); });
  return std::make_unique<QueueEvent>(std::move(state));
}

void ComputeQueue::push(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void ComputeQueue::serve() {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !work_.empty(); });
      if (work_.empty()) return;
      work = std::move(work_.front());
      work_.pop_front();
    }
    work();
  }
}

}  // namespace terrace::device
