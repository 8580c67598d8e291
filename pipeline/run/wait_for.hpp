// Waiting for requests that call back.
#pragma once

#include <exception>
#include <future>

namespace terrace::run {

/// Passes `request` a callback for its end, and waits until it is called. @throws what the callback is given
template <class Request>
void wait_for(const Request& request) {
  std::promise<void> there;
  request([&](const std::exception_ptr& error) {
    if (error) there.set_exception(error);
    else there.set_value();
  });
  there.get_future().get();
}

}  // namespace terrace::run
