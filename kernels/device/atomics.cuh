// Loads and stores of words that threads of one launch, or host and device, hand to one another.
// No host library header: also compiled at run time.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::device {

/// Sees everything that came before the release of the value, by any thread of the device.
__device__ inline u64 load_acquire(const u64* word) {
  u64 value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ inline u32 load_acquire(const u32* word) {
  u32 value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ inline void store_release(u64* word, u64 value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
__device__ inline void store_release(u32* word, u32 value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// The same between device and host; the word may lie in mapped host memory.
__device__ inline u64 load_acquire_system(const u64* word) {
  u64 value;
  asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ inline void store_release_system(u64* word, u64 value) {
  asm volatile("st.release.sys.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
/// A word of host memory past every cache; orders nothing.
__device__ inline u64 load_system(const u64* word) {
  u64 value;
  asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

/// A value of device memory past L1: what other threads or copies wrote before an acquire of this thread.
template <class T>
__device__ inline T load_past_l1(const T* address) {
  if constexpr (sizeof(T) == 1) {
    u32 bits;
    asm volatile("ld.global.cg.u8 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");
    return static_cast<T>(bits);
  } else if constexpr (sizeof(T) == 2) {
    u16 bits;
    asm volatile("ld.global.cg.u16 %0, [%1];" : "=h"(bits) : "l"(address) : "memory");
    return static_cast<T>(bits);
  } else if constexpr (sizeof(T) == 4) {
    union {
      u32 bits;
      T value;
    } word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word.bits) : "l"(address) : "memory");
    return word.value;
  } else {
    union {
      u64 bits;
      T value;
    } word;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(word.bits) : "l"(address) : "memory");
    return word.value;
  }
}

}  // namespace terrace::device
