// Replaces the project's header of that name for kernels that are compiled for the simulated device. At some of these
// places, drawn at random, threads yield to others.
#pragma once

#include <chrono>

#include "kernels/device/integers.hpp"
#include "tests/simulated_gpu/thread_block.hpp"

namespace terrace::device {

template <class T>
T simulated_load(const T* word, int order, unsigned pause_one_in) {
  simulated_gpu::ThreadBlock::current().maybe_pause(pause_one_in);
  return __atomic_load_n(word, order);
}
template <class T>
void simulated_store(T* word, T value, int order) {
  simulated_gpu::ThreadBlock::current().maybe_pause(8);
  __atomic_store_n(word, value, order);
}

inline u64 load_acquire(const u64* word) { return simulated_load(word, __ATOMIC_ACQUIRE, 4); }
inline u32 load_acquire(const u32* word) { return simulated_load(word, __ATOMIC_ACQUIRE, 4); }
inline void store_release(u64* word, u64 value) { simulated_store(word, value, __ATOMIC_RELEASE); }
inline void store_release(u32* word, u32 value) { simulated_store(word, value, __ATOMIC_RELEASE); }

inline u32 kept_in_register(u32 value) { return value; }

struct Phases {
  u64 word;  // phases that have ended, and in the lower 32 bits what has happened of the current one
};
inline constexpr u64 one_phase = u64{1} << 32;
inline void begin_phases(Phases& phases) { phases.word = 0; }
inline void end_phase(Phases& phases) {
  simulated_gpu::ThreadBlock::current().maybe_pause(32);
  // The lower bits count lanes. Those that begin the next phase in between are less than a warp.
  const u64 before = __atomic_fetch_add(&phases.word, 1, __ATOMIC_RELEASE);
  const bool is_last = static_cast<u32>(before) + 1 == simulated_gpu::warp_size;
  if (is_last) __atomic_fetch_add(&phases.word, one_phase - simulated_gpu::warp_size, __ATOMIC_RELEASE);
}
inline bool has_ended(const Phases& phases, u32 parity) {
  return (simulated_load(&phases.word, __ATOMIC_ACQUIRE, 4) / one_phase & 1) != parity;
}
inline bool wait_for_end(const Phases& phases, u32 parity) {
  if (has_ended(phases, parity)) return true;
  simulated_gpu::ThreadBlock::current().pause();
  return has_ended(phases, parity);
}

inline u64 load_relaxed(const u64* word) { return simulated_load(word, __ATOMIC_RELAXED, 32); }
inline void load_relaxed(const u64* words, u64& first, u64& second) {
  // The two may come from different writers on a GPU, too, unless the writers store both at once.
  second = simulated_load(words + 1, __ATOMIC_RELAXED, 32);
  first = __atomic_load_n(words, __ATOMIC_RELAXED);
}
inline void store_relaxed(u64* word, u64 value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }
inline void store_relaxed(u64* words, u64 first, u64 second) {
  __atomic_store_n(words, first, __ATOMIC_RELAXED);
  simulated_store(words + 1, second, __ATOMIC_RELAXED);
}

inline void store_relaxed_if(bool wanted, u64* word, u64 value) {
  if (wanted) store_relaxed(word, value);
}
inline void store_relaxed_if(bool wanted, u64* words, u64 first, u64 second) {
  if (wanted) store_relaxed(words, first, second);
}

inline u64 load_acquire_system(const u64* word) { return load_acquire(word); }
inline void store_release_system(u64* word, u64 value) { store_release(word, value); }
inline u64 clock_nanoseconds() {
  // Another zero and a little faster than the host's clock, as a device's may be.
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto exact = static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return exact + exact / 1'000'000 + 1'000'000'000'000'000;
}

inline u64 load_system(const u64* word) { return load_acquire(word); }

template <class T>
T load_past_l1(const T* address) {
  T value;
  __atomic_load(const_cast<T*>(address), &value, __ATOMIC_RELAXED);
  return value;
}
inline void load_past_l1(const u64* words, u64& first, u64& second) {
  first = load_past_l1(words);
  second = load_past_l1(words + 1);
}

inline u64 evict_first_policy() { return 0; }
inline u64 evict_normal_policy() { return 0; }
template <int count>
void load_once(const u32* from, u64, u32* words) {
  for (int word = 0; word < count; ++word) words[word] = load_past_l1(from + word);
}
inline void store_once(void* to, const u32* words) {
  for (int word = 0; word < 4; ++word) static_cast<u32*>(to)[word] = words[word];
}

inline unsigned char* launch_shared_memory() { return simulated_gpu::ThreadBlock::current().shared_memory(); }
/// Bytes from the beginning of the shared memory whose size the launch gives.
inline u32 shared_address(const void* shared) {
  return static_cast<u32>(static_cast<const unsigned char*>(shared) - launch_shared_memory());
}
inline u32 load_shared(u32 at) { return *reinterpret_cast<const u32*>(launch_shared_memory() + at); }
inline u32 load_shared_half(u32 at) { return *reinterpret_cast<const u16*>(launch_shared_memory() + at); }

inline u32 pick_bytes(u32 a, u32 b, u32 selectors) {
  const u64 from = u64{b} << 32 | a;
  u32 bytes = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 selector = selectors >> 4 * i & 15u, byte = static_cast<u32>(from >> 8 * (selector & 7u)) & 255u;
    bytes |= (selector < 8 ? byte : byte >= 128 ? 255u : 0u) << 8 * i;
  }
  return bytes;
}

inline void forget(i32&) {}
template <class T>
void forget(T*&) {}

inline void prefetch(const void*) {}

// Copied at once: a wait that is missing does not show.
inline void begin_copy(void* shared, const void* global) { std::memcpy(shared, global, 16); }
template <class T>
void begin_small_copy(T* shared, const T* global) {
  std::memcpy(shared, global, sizeof(T));
}
inline void commit_copies() {}
template <int pending>
void wait_for_copies() {}

// The same holds of bulk copies; a phase ends when as many bytes have come as were expected.
struct Arrivals : Phases {};  // the lower bits count bytes that are expected
inline void begin_arrivals(Arrivals& arrivals) { arrivals.word = 0; }
inline void expect_bytes(Arrivals& arrivals, u32 bytes) {
  __atomic_fetch_add(&arrivals.word, u64{bytes}, __ATOMIC_RELAXED);
}
inline void bytes_came(Arrivals& arrivals, u32 bytes) {
  simulated_gpu::ThreadBlock::current().maybe_pause(32);
  const u64 before = __atomic_fetch_sub(&arrivals.word, u64{bytes}, __ATOMIC_RELEASE);
  if (static_cast<u32>(before) == bytes) __atomic_fetch_add(&arrivals.word, one_phase, __ATOMIC_RELEASE);
}
inline void begin_bulk_copy(void* shared, const void* global, u32 bytes, Arrivals& arrivals) {
  std::memcpy(shared, global, bytes);
  bytes_came(arrivals, bytes);
}
inline void begin_bulk_write(void* global, const void* shared, u32 bytes) { std::memcpy(global, shared, bytes); }
inline void commit_bulk_writes() {}
template <int pending>
void wait_for_bulk_reads() {}
inline void show_to_bulk_copies() {}

inline bool is_elected() {
  __syncwarp();
  return simulated_gpu::ThreadBlock::current().lane() == 0;
}

inline void add_matrix_product(double (&sum)[4], double upper, double lower, double right) {
  using simulated_gpu::from_bits, simulated_gpu::to_bits, simulated_gpu::warp_size;
  auto& block = simulated_gpu::ThreadBlock::current();
  const std::uint64_t mine[] = {to_bits(upper), to_bits(lower), to_bits(right)};
  const std::uint64_t* all = block.exchange(mine);
  const u32 g = block.lane() / 4, t = block.lane() % 4;
  for (u32 k = 0; k < 4; ++k) {
    for (u32 i = 0; i < 4; ++i) {
      const u64 left = all[i / 2 * warp_size + 4 * g + k], other = all[2 * warp_size + 4 * (2 * t + i % 2) + k];
      sum[i] = std::fma(from_bits<double>(left), from_bits<double>(other), sum[i]);
    }
  }
}

inline void sync_first_threads(i32 threads) {
  simulated_gpu::ThreadBlock::current().sync_first(static_cast<unsigned>(threads));
}

}  // namespace terrace::device
