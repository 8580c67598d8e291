// The CPU's side of a Port: tickets, begin and report of blocks, stop and abort, as port.cuh has them for CUDA.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>

#include "kernels/launch/cpu_backoff.hpp"
#include "kernels/launch/port.hpp"

namespace terrace::device {

/// True where the feeder has set the word of a port.
inline bool is_set(u64& word) { return std::atomic_ref(word).load(std::memory_order_acquire) != 0; }

/// One launch on the CPU, shared by its threads. Blocks are numbered as the port numbers them. All members may be
/// called by several threads at once, save where said.
class CpuLaunch {
 public:
  explicit CpuLaunch(const Port& port)
      : port_(port), end_(port.first + port.count), reported_(port.first), failed_(none) {}

  u64 first() const { return port_.first; }
  u64 count() const { return port_.count; }
  /// Blocks from here on are given up: they are not begun, and threads that work on them leave.
  u64 end() const { return end_.load(std::memory_order_acquire); }
  /// Blocks [first(), reported()) are reported.
  u64 reported() const { return reported_.load(std::memory_order_acquire); }

  /// The next ticket, from 0 on.
  u64 take_ticket() { return ticket_.fetch_add(1, std::memory_order_relaxed); }

  bool aborted() const { return abandoned_.load(std::memory_order_relaxed) || is_set(*port_.abort); }
  /// True where a thread on `block` must leave.
  bool must_leave(u64 block) const { return block >= end_.load(std::memory_order_relaxed) || aborted(); }
  /// Gives up `block` and later ones.
  void give_up(u64 block) { lower(end_, block); }
  /// Makes all threads leave, after an exception of one of them.
  void abandon() { abandoned_.store(true, std::memory_order_relaxed); }

  /// Waits until ready(); false when a thread on `block` must leave.
  template <class Ready>
  bool wait(u64 block, Ready&& ready) const {
    return wait_until(ready, [&] { return must_leave(block); });
  }

  /// Asks the feeder whether `block` may begin now; on stop gives it up. Called by the thread that has the block's
  /// first ticket.
  bool may_begin(u64 block) {
    const u64 stop = std::atomic_ref(*port_.stop).load(std::memory_order_acquire);
    const bool ready = std::atomic_ref(*port_.ready).load(std::memory_order_acquire) > block;
    if (stop == 1 || (stop != 0 && !ready)) give_up(block);
    return ready && stop != 1;
  }
  /// Notes that `block` begins, and copies its descriptor into `task`, whose end it may leave as it is.
  template <class Task>
  void begin(u64 block, Task& task) {
    note_time(block, 0);
    const auto* descriptors = static_cast<const std::byte*>(port_.descriptors);
    std::memcpy(&task, descriptors + block % port_.ring * port_.descriptor_bytes,
                std::min<std::size_t>(sizeof task, port_.descriptor_bytes));
  }

  /// Counts operations of a block as left out.
  void leave_out(u64 operations) { std::atomic_ref(*port_.skipped).fetch_add(operations, std::memory_order_relaxed); }
  /// Notes that the last piece of `block` is complete; called before report().
  void note_end(u64 block) { note_time(block, 1); }
  /// The result of `block`, to be written before report().
  template <class Result>
  Result& result(u64 block) {
    return *reinterpret_cast<Result*>(static_cast<std::byte*>(port_.results) +
                                      block % port_.ring * port_.result_bytes);
  }
  /// Reports the block reported(). One thread at a time.
  void report(u64 block) {
    reported_.store(block + 1);
    write(port_.done, block + 1);
    report_failed();
  }
  /// Says that `block` did not pass its checks: gives it up, and reports that once all blocks before it are reported.
  void fail(u64 block) {
    lower(failed_, block);
    give_up(block);
    report_failed();
  }

 private:
  static constexpr u64 none = ~u64{0};

  static void write(u64* word, u64 value) { std::atomic_ref(*word).store(value, std::memory_order_release); }
  static void lower(std::atomic<u64>& word, u64 value) {
    u64 old = word.load();
    while (old > value && !word.compare_exchange_weak(old, value)) {
    }
  }

  /// @param which 0: the block begins; 1: its last piece is complete
  void note_time(u64 block, u64 which) {
    if (port_.times == nullptr) return;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    port_.times[2 * (block % port_.ring) + which] =
        static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }
  /// Called after either word was written. Where report() and fail() run at once, one of them at least sees both
  /// words: these are sequentially consistent.
  void report_failed() {
    const u64 failed = failed_.load();
    if (failed != none && reported_.load() == failed) write(port_.failed, failed + 1);
  }

  const Port& port_;
  std::atomic<u64> ticket_{0};
  std::atomic<u64> end_;
  std::atomic<u64> reported_;
  std::atomic<u64> failed_;  // the first block that failed its checks
  std::atomic<bool> abandoned_{false};
};

/// Calls compute(task, result) for one block of the port after another, by the thread that calls. @return when the
/// launch has ended, early on stop or abort, or where `compute` returns false
template <class Task, class Result, class Compute>
void compute_in_order(const Port& port, Compute&& compute) {
  CpuLaunch launch(port);
  for (u64 block = port.first; block < port.first + port.count; ++block) {
    if (!launch.wait(block, [&] { return launch.may_begin(block); })) return;
    Task task;
    launch.begin(block, task);
    if (!compute(task, launch.result<Result>(block))) return;
    launch.note_end(block);
    launch.report(block);
  }
}

}  // namespace terrace::device
