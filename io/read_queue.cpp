#include "io/read_queue.hpp"

#include "pipeline/base/error.hpp"

namespace terrace::io {

void ReadQueue::submit(std::shared_ptr<Source> source, const Box& box, void* buffer, Done done) {
  threads_.post([this, source = std::move(source), box, buffer, done = std::move(done)] {
    std::exception_ptr failure;
    try {
      if (cancelled_) throw Stopped("the read was cancelled");
      source->read(box, buffer);
    } catch (...) {
      failure = std::current_exception();
    }
    done(failure);
  });
}

}  // namespace terrace::io
