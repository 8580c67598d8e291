// Launches on one device: ports, descriptors, results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/launch/port.hpp"
#include "pipeline/run/program.hpp"
#include "pipeline/run/window.hpp"

namespace terrace::run {

/// One launch over consecutive blocks of a phase, from its submission to its end.
class LaunchState {
 public:
  LaunchState(device::Context& context, Program& program, std::int64_t ring);
  ~LaunchState();
  LaunchState(const LaunchState&) = delete;
  LaunchState& operator=(const LaunchState&) = delete;

  bool active() const { return event_ != nullptr; }
  /// Prepares a launch over blocks [first, first + count) of the phase, none of them ready yet.
  void begin(const PhaseState& phase, std::int64_t first, std::int64_t count);
  /// Submits it: of a chain before its blocks are fed, of others after all of them are.
  void submit(int attempt, int device);
  /// Makes the next block ready: its index is `ready()`.
  void feed(const BlockView& view);
  std::int64_t first() const { return first_; }
  std::int64_t ready() const { return ready_; }
  std::int64_t end() const { return first_ + count_; }
  const PhaseState& phase() const { return phase_; }
  /// Whether a further descriptor has room.
  bool has_room() const { return ready_ < end() && ready_ - taken_ < ring_; }
  /// Lets no block begin that has not begun yet.
  void stop();
  void abort();
  bool stopping() const { return stopping_; }

  /// The result of the next block that is done, in order; null when there is none. Valid until the next call.
  const void* next_done(std::int64_t* index);
  /// When the block that next_done() has just given was begun and complete, in nanoseconds of the device's clock; 0:
  /// the launch has not said.
  device::u64 begin_time(std::int64_t index) const { return times_[2 * (index % ring_)]; }
  device::u64 end_time(std::int64_t index) const { return times_[2 * (index % ring_) + 1]; }
  /// Whether the launch has ended and all its done blocks were taken. @throws DeviceError
  bool ended();
  /// Operations of its blocks that it has left out so far.
  std::int64_t skipped() const;
  /// Index of the block that failed its checks, or -1; asked for once the launch has ended.
  std::int64_t failed() const;
  /// Whether blocks that were made ready are not done.
  bool unfinished() const { return taken_ < end(); }
  /// Forgets the launch that has ended.
  void finish() { event_.reset(); }
  /// Blocks until the device has let go of the launch; for the way out after an error.
  void wait() noexcept;

 private:
  device::Context& context_;
  Program& program_;
  std::int64_t ring_;
  std::size_t words_bytes_, descriptors_bytes_, results_bytes_, times_bytes_;
  device::u64* words_ = nullptr;
  std::byte* descriptors_ = nullptr;
  std::byte* results_ = nullptr;
  device::u64* times_ = nullptr;
  device::Port port_{};
  PhaseState phase_;
  std::int64_t first_ = 0, count_ = 0, ready_ = 0, taken_ = 0;
  bool stopping_ = false;
  std::unique_ptr<device::Event> event_;
};

}  // namespace terrace::run
