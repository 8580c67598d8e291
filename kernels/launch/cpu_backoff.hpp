// The waits of a CPU thread for another: it spins, then sleeps (backoff.hpp has the lengths).
#pragma once

#include <immintrin.h>

#include <chrono>
#include <thread>

#include "kernels/launch/backoff.hpp"

namespace terrace::device {

/// The pauses of one wait, each as long as the one before or longer.
class CpuPauses {
 public:
  void pause() {
    constexpr CpuBackoff policy = backoffs::cpu;
    if (times_ < policy.spins) _mm_pause();
    else sleep(times_ < policy.spins + policy.short_sleeps ? policy.first : policy.longest);
    ++times_;
  }

 private:
  static void sleep(int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }

  int times_ = 0;
};

/// Waits until ready(); false when leave(), then or before.
template <class Ready, class Leave>
bool wait_until(Ready&& ready, Leave&& leave) {
  for (CpuPauses pauses; !ready(); pauses.pause()) {
    if (leave()) return false;
  }
  return !leave();
}

}  // namespace terrace::device
