// Waits of a CUDA launch's threads for one another, by the policies of backoff.hpp.
#pragma once

#include "kernels/launch/backoff.hpp"

namespace terrace::device {

__device__ inline int lane_index() { return static_cast<int>(threadIdx.x % 32); }

/// Sleeps so many ns; 0: goes on.
__device__ __forceinline__ void nap(u32 nanoseconds) {
  if (nanoseconds > 0) __nanosleep(nanoseconds);
}

/// The tries of one wait, for loops that wait_until() does not fit. After each try that failed: is_time_to_look(),
/// then pause().
template <Backoff policy>
class Tries {
 public:
  /// Counts the try. @return whether it is time to look if the launch is over
  __device__ __forceinline__ bool is_time_to_look() { return ++tries_ % policy.look_every == 0; }
  /// Sleeps where the policy says so.
  __device__ __forceinline__ void pause() {
    if (policy.spins > 0 && tries_ <= policy.spins) return;
    if (tries_ % policy.sleep_every != 0) return;
    if constexpr (policy.first == policy.longest) {
      __nanosleep(policy.first);
    } else if constexpr (policy.short_sleeps > 0) {
      __nanosleep(tries_ <= policy.spins + policy.short_sleeps ? policy.first : policy.longest);
    } else {
      __nanosleep(pause_);
      pause_ = pause_ < policy.longest ? pause_ * 2 : pause_;
    }
  }

 private:
  u32 tries_ = 0;
  u32 pause_ = policy.first;
};

/// Waits until ready(); false when leave(), which is asked now and then.
template <Backoff policy, class Ready, class Leave>
__device__ __forceinline__ bool wait_until(Ready&& ready, Leave&& leave) {
  for (Tries<policy> tries; !ready(); tries.pause()) {
    if (tries.is_time_to_look() && leave()) return false;
  }
  return true;
}

/// Waits until ready(), whatever becomes of the launch.
template <Backoff policy, class Ready>
__device__ __forceinline__ void wait_until(Ready&& ready) {
  wait_until<policy>(ready, [] { return false; });
}

/// Waits as a warp until ready(), in all lanes the same; false when leave(), which the first lane is asked now and
/// then. All lanes call it.
template <Backoff policy, class Ready, class Leave>
__device__ __forceinline__ bool wait_by_warp(Ready&& ready, Leave&& leave) {
  return wait_until<policy>(ready, [&] { return __any_sync(~0u, lane_index() == 0 && leave()) != 0; });
}

/// The sleep, in ns, for a band that is so many bands away; 0 where the band above is the next to write.
template <DistanceBackoff policy>
__device__ __forceinline__ u32 nap_for(u32 distance) {
  return distance <= 1             ? 0
         : distance < policy.bands ? (distance - policy.awake) * policy.band
                                   : policy.bands * policy.band;
}

/// Waits as a warp until distance() is 0: how many bands away the last writer of a row is, in all lanes the same.
/// Before a sleep calls ask(), which begins what distance() then looks at. False when leave(), which the first lane
/// is asked now and then. All lanes call it.
template <DistanceBackoff policy, class Distance, class Ask, class Leave>
__device__ __forceinline__ bool wait_by_distance(Distance&& distance, Ask&& ask, Leave&& leave) {
  for (u32 tries = 1;; ++tries) {
    const u32 bands = distance();
    if (bands == 0) return true;
    const u32 time = nap_for<policy>(bands);
    ask();
    nap(time);
    const bool leaves = tries % policy.look_every == 0 && lane_index() == 0 && leave();
    if (__any_sync(~0u, leaves)) return false;
  }
}

}  // namespace terrace::device
