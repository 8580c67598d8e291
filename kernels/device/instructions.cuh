// Instructions that CUDA C++ has no name for: loads and stores of words that threads of one launch, or host and
// device, exchange, and of data that is read or written once; copies into shared memory in parallel with other work
// of a thread; a barrier of some of a thread block's threads. All inline assembly is here.
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

/// The value, which the compiler must keep in a register instead of computing it again: for values used often.
__device__ __forceinline__ u32 kept_in_register(u32 value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// In shared memory: phases that count from 0 on. The lanes of one warp end a phase together; who has seen its end
/// sees what any of them has written before.
struct Phases {
  u64 word;
};
__device__ __forceinline__ u32 address_of(const Phases& phases) {
  return static_cast<u32>(__cvta_generic_to_shared(&phases.word));
}
__device__ __forceinline__ void begin_phases(Phases& phases) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(address_of(phases)) : "memory");
}
__device__ __forceinline__ void end_phase(Phases& phases) {
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0];}" ::"r"(address_of(phases))
               : "memory");
}
/// True if the phase has ended whose number has this parity: the current phase, or the last one that ended.
__device__ __forceinline__ bool has_ended(const Phases& phases, u32 parity) {
  u32 ended;
  asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
               : "=r"(ended)
               : "r"(address_of(phases)), "r"(parity)
               : "memory");
  return ended != 0;
}
/// Waits a while for the end of that phase. @return true if it has ended
__device__ __forceinline__ bool wait_for_end(const Phases& phases, u32 parity) {
  u32 ended;
  asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
               : "=r"(ended)
               : "r"(address_of(phases)), "r"(parity)
               : "memory");
  return ended != 0;
}

/// Loads of words that carry their own order, such as a tag; two of them, at a multiple of 16 bytes, as one.
__device__ __forceinline__ u64 load_relaxed(const u64* word) {
  u64 value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ void load_relaxed(const u64* words, u64& first, u64& second) {
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(words) : "memory");
}
__device__ __forceinline__ void store_relaxed(u64* word, u64 value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
__device__ __forceinline__ void store_relaxed(u64* words, u64 first, u64 second) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(words), "l"(first), "l"(second) : "memory");
}
/// The same without a branch, if `wanted`; else nothing.
__device__ __forceinline__ void store_relaxed_if(bool wanted, u64* word, u64 value) {
  asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0; @p st.relaxed.gpu.global.u64 [%0], %1;}" ::"l"(word), "l"(value),
               "r"(static_cast<u32>(wanted))
               : "memory");
}
__device__ __forceinline__ void store_relaxed_if(bool wanted, u64* words, u64 first, u64 second) {
  asm volatile("{.reg .pred p; setp.ne.b32 p, %3, 0; @p st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};}" ::"l"(words),
               "l"(first), "l"(second), "r"(static_cast<u32>(wanted))
               : "memory");
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

/// Nanoseconds of a clock that all processors of the device share.
__device__ inline u64 clock_nanoseconds() {
  u64 value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

/// A value of device memory past L1, as other threads or copies wrote it before an acquire of this thread.
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

/// Two words at a multiple of 16 bytes at once.
__device__ __forceinline__ void load_past_l1(const u64* words, u64& first, u64& second) {
  asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(words) : "memory");
}

/// For load_once: the words read leave L2 first.
__device__ __forceinline__ u64 evict_first_policy() {
  u64 policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
/// For load_once: the words read stay in L2 as any others.
__device__ __forceinline__ u64 evict_normal_policy() {
  u64 policy;
  asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
/// Reads 1, 2 or 4 words at a multiple of their size at once, past L1.
template <int count>
__device__ __forceinline__ void load_once(const u32* from, u64 policy, u32* words) {
  static_assert(count == 1 || count == 2 || count == 4);
  if constexpr (count == 1) {
    asm volatile("ld.global.cg.L2::cache_hint.u32 %0, [%1], %2;"
                 : "=r"(words[0])
                 : "l"(from), "l"(policy)
                 : "memory");
  } else if constexpr (count == 2) {
    asm volatile("ld.global.cg.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
                 : "=r"(words[0]), "=r"(words[1])
                 : "l"(from), "l"(policy)
                 : "memory");
  } else {
    asm volatile("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "l"(from), "l"(policy)
                 : "memory");
  }
}
/// Writes 16 bytes at a multiple of 16 that nobody will read soon.
__device__ __forceinline__ void store_once(void* to, const u32* words) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]),
               "r"(words[3])
               : "memory");
}

/// Four bytes, each one of the eight of a and b (its number in a selector's lower three bits), or where the
/// selector's fourth bit is set its highest bit eight times. @param selectors four bits for each byte, from the
/// lowest one on;
///   what lies above them does not matter
__device__ __forceinline__ u32 pick_bytes(u32 a, u32 b, u32 selectors) {
  u32 bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(selectors));
  return bytes;
}

/// The address of shared memory, which takes one register, and loads from such addresses of what does not change.
__device__ __forceinline__ u32 shared_address(const void* shared) {
  return static_cast<u32>(__cvta_generic_to_shared(shared));
}
__device__ __forceinline__ u32 load_shared(u32 at) {
  u32 word;
  asm("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at));
  return word;
}
/// 16 bits; the upper ones are 0.
__device__ __forceinline__ u32 load_shared_half(u32 at) {
  u32 half;
  asm("ld.shared.u16 %0, [%1];" : "=r"(half) : "r"(at));
  return half;
}

/// No instruction: after it the compiler does not know the value, so it computes derived values again instead of
/// keeping them in registers.
__device__ __forceinline__ void forget(i32& value) { asm volatile("" : "+r"(value)); }
template <class T>
__device__ __forceinline__ void forget(T*& pointer) {
  asm volatile("" : "+l"(pointer));
}

/// The shared memory whose size the launch gives, at a multiple of 128 bytes.
__device__ __forceinline__ unsigned char* launch_shared_memory() {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  return shared_memory;
}

/// Brings device memory near, without waiting for it.
__device__ __forceinline__ void prefetch(const void* global) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
}

/// Begins to copy 16 bytes of device memory into shared memory, both at a multiple of 16, past L1. Copies that a
/// thread began since its last commit_copies() are a group.
__device__ __forceinline__ void begin_copy(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(shared))),
               "l"(global)
               : "memory");
}
/// The same of 4 or 8 bytes, at a multiple of as many.
template <class T>
__device__ __forceinline__ void begin_small_copy(T* shared, const T* global) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(shared))),
               "l"(global), "n"(sizeof(T))
               : "memory");
}
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most the thread's last `pending` groups are in flight. Others see the copies after a barrier.
template <int pending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// In shared memory: phases that bulk copies end instead of lanes. A phase ends when expect_bytes() was called once,
/// and all those bytes have come.
struct Arrivals : Phases {};
/// One thread; the others of the thread block use them after a barrier.
__device__ __forceinline__ void begin_arrivals(Arrivals& arrivals) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;\n\t"
      "fence.proxy.async.shared::cta;" ::"r"(address_of(arrivals)),
      "r"(1)
      : "memory");
}
/// Says how many bytes copies bring in the current phase, before they begin.
__device__ __forceinline__ void expect_bytes(Arrivals& arrivals, u32 bytes) {
  asm volatile(
      "{.reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;}" ::"r"(address_of(arrivals)),
      "r"(bytes)
      : "memory");
}
/// Begins to copy device memory into shared memory; both places and the size are multiples of 16 bytes.
__device__ __forceinline__ void begin_bulk_copy(void* shared, const void* global, u32 bytes, Arrivals& arrivals) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   static_cast<u32>(__cvta_generic_to_shared(shared))),
               "l"(global), "r"(bytes), "r"(address_of(arrivals))
               : "memory");
}
/// Begins to copy shared memory into device memory, alike. The copies that a thread began since its last
/// commit_bulk_writes() are a group.
__device__ __forceinline__ void begin_bulk_write(void* global, const void* shared, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(static_cast<u32>(__cvta_generic_to_shared(shared))), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void commit_bulk_writes() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Waits until the shared memory of all but the thread's last `pending` groups has been read.
template <int pending>
__device__ __forceinline__ void wait_for_bulk_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
/// True in one lane of the warp, all of whose lanes ask: always the same one.
__device__ __forceinline__ bool is_elected() {
  u32 elected;
  asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(elected)::"memory");
  return elected != 0;
}
/// Lets bulk copies that begin after the next barrier see what the thread has written into shared memory.
__device__ __forceinline__ void show_to_bulk_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Adds to a matrix of 16 x 8 the product of one of 16 x 4 with one of 4 x 8. All lanes of a warp call together. Lane
/// n has, with g = n / 4 and t = n % 4, elements (g, t) and (g + 8, t) of the first one, (t, g) of the second one,
/// and of the sum (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1).
__device__ __forceinline__ void add_matrix_product(double (&sum)[4], double upper, double lower, double right) {
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(upper), "d"(lower), "d"(right));
}

/// The thread block's first `threads` threads, a multiple of 32, wait for each other.
__device__ __forceinline__ void sync_first_threads(i32 threads) {
  asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

}  // namespace terrace::device
