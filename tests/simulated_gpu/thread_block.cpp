#include "tests/simulated_gpu/thread_block.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace simulated_gpu {

ThreadBlock::ThreadBlock(unsigned index, unsigned blocks, unsigned threads, std::size_t shared_bytes,
                         std::uint64_t order)
    : index_(index),
      blocks_(blocks),
      shared_(shared_bytes + 16, unwritten),
      threads_(threads),
      warps_((threads + warp_size - 1) / warp_size),
      order_(order | 1) {}

void ThreadBlock::fail(const char* what) {
  std::fprintf(stderr, "simulated GPU: %s\n", what);
  std::abort();
}

void ThreadBlock::run(const std::function<void()>& thread, Stacks& stacks) {
  namespace context = boost::context;
  current_ = this;
  alive_ = threads();
  const StackAllocator allocator(stacks);
  for (Thread& one : threads_) {
    one.fiber = context::fiber(std::allocator_arg, allocator, [this, &one, &thread](context::fiber&& back) {
      one.back = std::move(back);
      thread();
      leave();
      return std::move(one.back);
    });
  }
  std::size_t held = 0, rounds = 0;
  for (; alive_ > 0; ++round_) {
    moved_ = false;
    // Now and then a warp is held back for some rounds, so that others get ahead of it as far as barriers let them.
    if (rounds > 0) --rounds;
    else if (random() % 64 == 0) held = random() % warps_.size(), rounds = random() % 128;
    // Whole warps in turn, from one drawn at random on, and so the lanes of each.
    const std::size_t first_warp = random() % warps_.size();
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      if (rounds > 0 && (first_warp + w) % warps_.size() == held) continue;
      const std::size_t base = (first_warp + w) % warps_.size() * warp_size;
      const std::size_t count = std::min<std::size_t>(warp_size, threads_.size() - base);
      std::size_t lane = random() % count;
      for (std::size_t l = 0; l < count; ++l, ++lane) {
        if (lane == count) lane = 0;
        running_ = static_cast<unsigned>(base + lane);
        Thread& one = threads_[running_];
        if (runnable(one)) one.fiber = std::move(one.fiber).resume();
      }
    }
    if (moved_) continue;
    if (rounds > 0) {
      rounds = 0;
    } else {
      skip_sleep();
      std::this_thread::yield();
    }
  }
  current_ = nullptr;
}

bool ThreadBlock::runnable(const Thread& thread) const {
  return !thread.ended && thread.wakes <= round_ &&
         (thread.waits_for == nullptr || thread.waits_for->generation != thread.generation);
}

/// If all wait or sleep, goes to the round before the first one in which a thread is awake again.
void ThreadBlock::skip_sleep() {
  std::uint64_t next = ~std::uint64_t{0};
  for (const Thread& one : threads_) {
    if (!one.ended && one.waits_for == nullptr) next = std::min(next, std::max(one.wakes, round_ + 1));
  }
  if (next != ~std::uint64_t{0}) round_ = next - 1;
}

void ThreadBlock::pause() {
  Thread& one = threads_[running_];
  one.waits_for = nullptr;
  one.back = std::move(one.back).resume();
}

void ThreadBlock::sleep(unsigned nanoseconds) {
  constexpr unsigned nanoseconds_a_round = 16, most_rounds = 256;
  threads_[running_].wakes = round_ + 1 + random() % (1 + std::min(nanoseconds / nanoseconds_a_round, most_rounds));
  pause();
}

void ThreadBlock::wait(Barrier& barrier, unsigned expected) {
  moved_ = true;
  if (++barrier.arrived >= expected) {
    barrier.arrived = 0;
    ++barrier.generation;
    return;
  }
  Thread& one = threads_[running_];
  one.waits_for = &barrier;
  one.generation = barrier.generation;
  one.back = std::move(one.back).resume();
  one.waits_for = nullptr;
}

/// A thread that has ended is waited for no more.
void ThreadBlock::leave() {
  moved_ = true;
  threads_[running_].ended = true;
  --alive_;
  if (alive_ > 0 && block_.arrived >= alive_) {
    block_.arrived = 0;
    ++block_.generation;
  }
}

void ThreadBlock::sync_warp() { wait(warp().barrier, warp_size); }
void ThreadBlock::sync_block() { wait(block_, alive_); }
void ThreadBlock::sync_first(unsigned count) {
  if (count % warp_size != 0 || running_ >= count)
    fail("a barrier of some threads is of whole warps, and of its own");
  wait(first_, count);
}

bool ThreadBlock::any_in_block(bool value) {
  votes_ += value;
  sync_block();
  const bool any = votes_ > 0;
  if (++voters_ >= alive_) votes_ = voters_ = 0;
  sync_block();
  return any;
}

const std::uint64_t* ThreadBlock::exchange(std::span<const std::uint64_t> values) {
  if (values.size() > most_exchanged) fail("lanes exchange too many values at once");
  Warp& mine = warp();
  // The next exchange takes the other row, and the one after it waits until all lanes have read this one.
  std::uint64_t* row = mine.values[mine.barrier.generation & 1];
  for (std::size_t i = 0; i < values.size(); ++i) row[i * warp_size + lane()] = values[i];
  sync_warp();
  return row;
}

unsigned ThreadBlock::ballot(bool bit) {
  Warp& mine = warp();
  unsigned& bits = mine.bits[mine.barrier.generation & 1];  // as in exchange()
  const unsigned own = 1u << lane();
  bits = bit ? bits | own : bits & ~own;
  sync_warp();
  return bits;
}

}  // namespace simulated_gpu
