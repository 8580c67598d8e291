// Launches on the CPU whose blocks are computed one after another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>

#include "kernels/launch/block_times.hpp"
#include "kernels/launch/port.hpp"

namespace terrace::wavefront {

inline device::u64 load_word(device::u64* word) {
  return std::atomic_ref<device::u64>(*word).load(std::memory_order_acquire);
}

/// Waits until block `index` may begin; false when it is not to.
inline bool may_begin(const device::Port& port, device::u64 index) {
  for (;;) {
    if (load_word(port.stop) != 0 || load_word(port.abort) != 0) return false;
    if (load_word(port.ready) > index) return true;
    std::this_thread::yield();
  }
}

/// Calls compute(task, result) for one block of the port after another. @return when the launch has ended, early on
/// stop or abort, or where `compute` returns false
template <class Task, class Result, class Compute>
void compute_in_order(const device::Port& port, Compute&& compute) {
  for (device::u64 index = port.first; index < port.first + port.count; ++index) {
    if (!may_begin(port, index)) return;
    device::note_begin(port, index);
    Task task;
    std::memcpy(&task, static_cast<const std::byte*>(port.descriptors) + index % port.ring * port.descriptor_bytes,
                sizeof task);
    auto* result =
        reinterpret_cast<Result*>(static_cast<std::byte*>(port.results) + index % port.ring * port.result_bytes);
    if (!compute(task, *result)) return;
    device::note_end(port, index);
    std::atomic_ref<device::u64>(*port.done).store(index + 1, std::memory_order_release);
  }
}

}  // namespace terrace::wavefront
