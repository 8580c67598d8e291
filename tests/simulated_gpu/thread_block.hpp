// One thread block of a simulated launch: an operating system's thread that runs its CUDA threads as fibers, in an
// order drawn at random, changing from one to the next where they wait for each other or for memory.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tests/simulated_gpu/stacks.hpp"

namespace simulated_gpu {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = ~0u;
/// Values of a lane in an exchange, at most.
inline constexpr std::size_t most_exchanged = 3;
/// Content of memory that nobody has written.
inline constexpr unsigned char unwritten = 0xCD;

/// Fibers wait here for each other; it can be used again at once.
struct Barrier {
  unsigned arrived = 0;
  std::uint64_t generation = 0;
};

class ThreadBlock {
 public:
  /// @param order seed for the order in which fibers run
  ThreadBlock(unsigned index, unsigned blocks, unsigned threads, std::size_t shared_bytes, std::uint64_t order);

  /// Runs all threads to their end, on these stacks. Only one block at a time on a thread.
  void run(const std::function<void()>& thread, Stacks& stacks);

  /// The block and the CUDA thread that the caller is.
  static ThreadBlock& current() {
    if (current_ == nullptr) fail("device code runs outside a launch");
    return *current_;
  }
  unsigned thread() const { return running_; }
  unsigned lane() const { return running_ % warp_size; }
  unsigned index() const { return index_; }
  unsigned blocks() const { return blocks_; }
  unsigned threads() const { return static_cast<unsigned>(threads_.size()); }
  unsigned char* shared_memory() { return shared_.data(); }

  /// Lets others run.
  void pause();
  /// The same for some rounds of the others, drawn at random; the time bounds their number.
  void sleep(unsigned nanoseconds);
  /// The same, now and then: where another order of memory accesses would show.
  void maybe_pause(unsigned one_in) {
    if (random() % one_in == 0) pause();
  }

  void sync_warp();
  /// All threads that have not ended.
  void sync_block();
  /// The first `threads` threads.
  void sync_first(unsigned threads);
  bool any_in_block(bool value);

  /// The values that all lanes of the warp passed, in order of lanes; valid until the caller's next exchange but one.
  /// All 32 lanes must call it.
  const std::uint64_t* exchange(std::uint64_t value) { return exchange(std::span(&value, 1)); }
  /// The same of some values of each lane: first those that the lanes passed as the first one.
  const std::uint64_t* exchange(std::span<const std::uint64_t> values);
  /// A bit of every lane of the warp, which all 32 lanes must call.
  unsigned ballot(bool bit);

 private:
  struct Thread {
    boost::context::fiber fiber, back;
    const Barrier* waits_for = nullptr;
    std::uint64_t generation = 0;  // of the barrier, when it began to wait
    std::uint64_t wakes = 0;       // the round in which it is awake again
    bool ended = false;
  };
  struct Warp {
    Barrier barrier;
    std::uint64_t values[2][most_exchanged * warp_size] = {};
    unsigned bits[2] = {};
  };

  void wait(Barrier& barrier, unsigned expected);
  void leave();
  bool runnable(const Thread& thread) const;
  void skip_sleep();
  std::uint64_t random() {
    order_ ^= order_ << 13;
    order_ ^= order_ >> 7;
    order_ ^= order_ << 17;
    return order_;
  }
  [[noreturn]] static void fail(const char* what);
  Warp& warp() { return warps_[running_ / warp_size]; }

  static constinit inline thread_local ThreadBlock* current_ = nullptr;

  unsigned index_, blocks_;
  std::vector<unsigned char> shared_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  Barrier block_, first_;
  unsigned alive_ = 0, votes_ = 0, voters_ = 0;
  unsigned running_ = 0;
  bool moved_ = false;  // since the last look: some thread did something other than waiting
  std::uint64_t round_ = 0;
  std::uint64_t order_;
};

}  // namespace simulated_gpu
