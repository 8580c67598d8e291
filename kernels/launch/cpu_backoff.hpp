// How a thread of the CPU waits for another.
#pragma once

#include <immintrin.h>

#include <chrono>
#include <thread>

namespace terrace::wavefront {

/// Waits a little longer each time: a few microseconds of spinning, then other threads' turn, then sleep.
class Backoff {
 public:
  void pause() {
    ++times_;
    if (times_ < 128) _mm_pause();
    else if (times_ < 160) std::this_thread::yield();
    else std::this_thread::sleep_for(std::chrono::microseconds(times_ < 200 ? 20 : 100));
  }

 private:
  int times_ = 0;
};

}  // namespace terrace::wavefront
