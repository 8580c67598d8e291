// Launches on one device: ports, descriptors, results.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/launch/port.hpp"
#include "pipeline/run/executor/window.hpp"
#include "pipeline/run/plan.hpp"

namespace terrace::run {

/// One launch over blocks that are dealt to one device, from its submission to its end: blocks of one phase, or of a
/// chain that continues over several phases.
///
/// The port numbers the blocks of the launch one after another, from the index of the first; if all are of one
/// phase that is on one device, these numbers are the blocks' indices.
class LaunchHandle {
 public:
  LaunchHandle(device::Context& context, const Plan& plan, std::int64_t ring);
  ~LaunchHandle();
  LaunchHandle(const LaunchHandle&) = delete;
  LaunchHandle& operator=(const LaunchHandle&) = delete;

  bool active() const { return event_ != nullptr; }
  /// Prepares a launch over at most `count` blocks, none of them ready yet.
  /// @param phase of its first block, whose index is `first`
  /// @param number counts the device's launches: the smaller of two was begun first
  void begin(const PhaseState& phase, std::int64_t first, std::int64_t count, std::int64_t number);
  /// Submits it: a chain before its blocks are fed, other launches after all blocks are fed.
  void submit(Worker& worker, int attempt);
  /// Makes the next block ready. @param phase of the block
  void feed(const Worker& worker, const PhaseState& phase, const BlockView& view);
  std::int64_t number() const { return number_; }
  Order order() const { return phase_.phase.order; }
  /// The sequence number after the last block that was made ready; at first, the number of the first block.
  std::int64_t next_sequence() const { return next_sequence_; }
  /// The sequence number after the last block that it may be given.
  std::int64_t end_sequence() const { return end_sequence_; }
  /// Number of blocks that were made ready, and of these, whose results were taken.
  std::int64_t fed() const { return ready_ - first_; }
  std::int64_t taken() const { return taken_ - first_; }
  /// The largest number of blocks that it computes.
  std::int64_t count() const { return count_; }
  bool is_fed() const { return fed() == count_; }
  /// True if there is room for another block's descriptor.
  bool has_room() const { return fed() < count_ && ready_ - taken_ < ring_; }
  /// Lets no block begin that has not begun yet.
  void stop();
  /// Lets no block begin beyond those that were made ready.
  void close();
  void abort();
  bool stopping() const { return stopping_; }

  /// A block that is done.
  struct Done {
    std::int64_t sequence = 0;
    const void* result = nullptr;
    /// Times of its begin and end, in nanoseconds of the device's clock; 0: not reported.
    device::u64 begin = 0, end = 0;
  };
  /// The next done block, in order, or nullopt. The result is valid until the next call.
  std::optional<Done> next_done();
  /// True if the launch has ended and all its done blocks were taken. @throws DeviceError
  bool ended();
  /// Operations of its blocks that it has left out so far.
  std::int64_t skipped() const;
  /// Sequence number of the block that failed its checks, or -1; to be called when the launch has ended.
  std::int64_t failed() const;
  /// True if not all blocks that it was begun for are done.
  bool unfinished() const { return taken() < count_; }
  /// Sequence numbers of blocks that were made ready and are not done, in order.
  std::vector<std::int64_t> not_done() const { return {sequences_.begin(), sequences_.end()}; }
  /// Forgets the launch that has ended.
  void finish() { event_.reset(); }
  /// Aborts the launch and blocks until it has ended, for the cleanup after an error.
  void wait() noexcept;

 private:
  device::Context& context_;
  std::size_t descriptor_bytes_, result_bytes_;
  std::int64_t ring_;
  std::size_t words_bytes_, descriptors_bytes_, results_bytes_, times_bytes_;
  device::u64* words_ = nullptr;
  std::byte* descriptors_ = nullptr;
  std::byte* results_ = nullptr;
  device::u64* times_ = nullptr;
  device::Port port_{};
  PhaseState phase_;
  std::int64_t number_ = 0;
  std::int64_t first_ = 0, count_ = 0, ready_ = 0, taken_ = 0;  // numbers of the port
  std::int64_t next_sequence_ = 0, end_sequence_ = 0;
  std::deque<std::int64_t> sequences_;  // of the blocks [taken_, ready_)
  bool stopping_ = false;
  std::unique_ptr<device::Event> event_;
};

}  // namespace terrace::run
