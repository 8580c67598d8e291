// When launches on the CPU compute their blocks.
#pragma once

#include <chrono>

#include "kernels/launch/port.hpp"

namespace terrace::device {

/// Nanoseconds of the clock that times blocks on the CPU: the steady one.
inline u64 cpu_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// Says that `block` is begun, by the worker that draws its first ticket.
inline void note_begin(const Port& port, u64 block) {
  if (port.times != nullptr) port.times[2 * (block % port.ring)] = cpu_nanoseconds();
}

/// Says that the last part of `block` is complete, by the worker that completed it, before the block is reported.
inline void note_end(const Port& port, u64 block) {
  if (port.times != nullptr) port.times[2 * (block % port.ring) + 1] = cpu_nanoseconds();
}

}  // namespace terrace::device
