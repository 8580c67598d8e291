// Reading boxes ahead.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>

#include "io/files/io_threads.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// Reads boxes on a few threads of its own, in the order in which they are submitted, several at a time. Large boxes
/// of arrays that are computed are made by several threads at once.
class ReadQueue {
 public:
  /// Called once for each submitted read, on one of the queue's threads: with nothing when the box is in the buffer,
  /// else with what `Source::read` threw, or Stopped where the read was cancelled. It must not throw. It may submit.
  using Done = std::function<void(std::exception_ptr)>;

  explicit ReadQueue(int threads = 4) : threads_(threads) {}
  ReadQueue(const ReadQueue&) = delete;
  ReadQueue& operator=(const ReadQueue&) = delete;
  /// Cancels reads that have not begun, waits for those that have; every `done` has returned afterwards.
  ~ReadQueue() { cancel(); }

  /// @param buffer holds the box, row-major, tightly packed; owned by the caller, untouched until `done` is called
  void submit(std::shared_ptr<Source> source, const Box& box, void* buffer, Done done);
  /// Reads that have not begun end with Stopped, later ones too.
  void cancel() { cancelled_ = true; }

 private:
  std::atomic<bool> cancelled_ = false;
  IoThreads threads_;
};

}  // namespace terrace::io
