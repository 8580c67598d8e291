// One callback for the end of several pieces of work.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace terrace::io {

/// A callback that calls `done` at its `count`-th call, with the first error that it received.
inline std::function<void(std::exception_ptr)> when_all_ended(int count,
                                                              std::function<void(std::exception_ptr)> done) {
  struct State {
    std::mutex mutex;
    int left;
    std::exception_ptr error;
  };
  auto state = std::make_shared<State>();
  state->left = count;
  return [state, done = std::move(done)](const std::exception_ptr& error) {
    {
      const std::lock_guard lock(state->mutex);
      if (!state->error) state->error = error;
      if (--state->left > 0) return;
    }
    done(state->error);
  };
}

}  // namespace terrace::io
