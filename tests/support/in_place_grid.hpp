// Sweeps a whole grid in place through launches on any device: for tests and benchmarks of in-place sweeps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/in_place/sweep.hpp"
#include "kernels/in_place/task.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::in_place::testing {

/// A grid on the device.
class InPlaceGrid {
 public:
  /// @param sweep takes the grid's slabs; owned by the caller
  InPlaceGrid(const InPlaceSpec& spec, device::Context& context, device::BlockKernel& sweep)
      : spec_(spec),
        context_(context),
        sweep_(sweep),
        size_(static_cast<std::int64_t>(size_of(spec.value))),
        bytes_(spec.rows * spec.columns * size_),
        grid_(context, static_cast<std::size_t>(bytes_) + beyond),
        port_(context, 4096 + static_cast<std::size_t>(ring_) * (sizeof(InPlaceTask) + sizeof(InPlaceResult)),
              device::In::host) {}

  /// Sweeps the grid `sweeps` times. @param launch_slabs most slabs of a launch @return seconds in launches
  template <class T>
  double run(std::vector<T>& grid, std::int64_t sweeps, std::int64_t launch_slabs) {
    copy(grid_.data(), grid.data(), device::Queue::up);
    const double seconds = sweep(sweeps, launch_slabs);
    copy(grid.data(), grid_.data(), device::Queue::down);
    return seconds;
  }

  /// Puts random values, between -1000 and 1000, on the device. @param seed of the values, which repeat every 16 MiB
  void fill(unsigned seed) {
    constexpr std::int64_t part = 16 << 20;
    device::Memory staging(context_, part, device::In::host);
    std::mt19937 random(seed);
    const auto put = [&]<class T>(T* values) {
      std::uniform_real_distribution<T> distribution(-1000, 1000);
      for (std::int64_t i = 0; i < part / static_cast<std::int64_t>(sizeof(T)); ++i) values[i] = distribution(random);
    };
    if (spec_.value == ElementType::f32) put(staging.as<float>());
    else put(staging.as<double>());
    for (std::int64_t at = 0; at < bytes_; at += part) {
      const auto bytes = static_cast<std::size_t>(std::min(part, bytes_ - at));
      if (context_.shares_host_memory()) {
        std::memcpy(grid_.as<>() + at, staging.data(), bytes);
      } else {
        context_.copy(device::Queue::up, grid_.as<>() + at, staging.data(), bytes);
        context_.record(device::Queue::up)->wait();
      }
    }
  }

  /// Sweeps the grid on the device. @param launch_slabs most slabs of a launch, over all passes
  double sweep(std::int64_t sweeps, std::int64_t launch_slabs) {
    sweeps_ = sweeps;
    const std::int64_t slabs = spec_.slabs();
    const std::int64_t blocks = (sweeps + spec_.pass_sweeps - 1) / spec_.pass_sweeps * slabs;
    double seconds = 0;
    for (std::int64_t first = 0, count = 0; first < blocks; first += count) {
      count = std::min(launch_slabs, blocks - first);
      // If a pass has fewer slabs than may be kept back, its first slab needs the last slab of the pass before.
      if (slabs < 3) count = std::min(count, slabs - first % slabs);
      seconds += launch(first, count);
    }
    return seconds;
  }

 private:
  static constexpr std::size_t beyond = 256;  // bytes after the grid

  void copy(void* to, const void* from, device::Queue queue) {
    if (bytes_ == 0) return;
    if (context_.shares_host_memory()) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes_));
      return;
    }
    device::Memory staging(context_, static_cast<std::size_t>(bytes_), device::In::host);
    const bool up = queue == device::Queue::up;
    if (up) std::memcpy(staging.data(), from, static_cast<std::size_t>(bytes_));
    context_.copy(queue, up ? to : staging.data(), up ? staging.data() : from, static_cast<std::size_t>(bytes_));
    context_.record(queue)->wait();
    if (!up) std::memcpy(to, staging.data(), static_cast<std::size_t>(bytes_));
  }

  /// One past the last row of the part that a slab is of.
  std::int64_t end_of_part(std::int64_t slab) const {
    const std::int64_t slabs = spec_.slabs(), part = slab * spec_.parts / slabs;
    return std::min<std::int64_t>(spec_.rows, ((part + 1) * slabs + spec_.parts - 1) / spec_.parts * spec_.slab_rows);
  }

  /// Blocks are slabs, pass by pass.
  InPlaceTask task(std::int64_t block) const {
    const std::int64_t row_bytes = spec_.columns * size_, pass = block / spec_.slabs(), slab = block % spec_.slabs();
    InPlaceTask task{};
    task.row_begin = slab * spec_.slab_rows;
    task.row_end = std::min<std::int64_t>(spec_.rows, task.row_begin + spec_.slab_rows);
    task.sweeps = std::min(spec_.pass_sweeps, sweeps_ - pass * spec_.pass_sweeps);
    task.part_end = end_of_part(slab);
    const std::int64_t before = (block + spec_.slabs() - 1) % spec_.slabs();
    task.begin_before = before * spec_.slab_rows;
    task.left_before = before + 1 < spec_.slabs() && end_of_part(before) == (before + 1) * spec_.slab_rows ? 1 : 0;
    task.rows = grid_.as<>() + task.row_begin * row_bytes;
    task.above_begin = std::max<std::int64_t>(0, task.row_begin - spec_.slab_rows);
    if (slab > 0) task.above = grid_.as<>() + task.above_begin * row_bytes;
    task.stride = spec_.columns;
    return task;
  }

  /// The number of blocks that may be begun when `done` are done: a slab's rows are through the pass before when the
  /// slab below is.
  std::uint64_t ready(std::uint64_t done, std::uint64_t end) const {
    const auto slabs = static_cast<std::uint64_t>(spec_.slabs());
    for (std::uint64_t block = done;; ++block) {
      const std::uint64_t slab = block % slabs;
      if (block == end) return end;
      if (block >= slabs && done < block - slab - slabs + std::min(slab + 1, slabs - 1) + 1) return block;
    }
  }

  double launch(std::int64_t first, std::int64_t count) {
    auto* words = reinterpret_cast<device::u64*>(port_.as<>());
    auto* tasks = port_.as<>() + 4096;
    auto* results = tasks + ring_ * static_cast<std::int64_t>(sizeof(InPlaceTask));
    const auto begin = static_cast<std::uint64_t>(first), end = static_cast<std::uint64_t>(first + count);
    const device::Port port{words,
                            words + 1,
                            words + 2,
                            words + 3,
                            words + 4,
                            words + 5,
                            tasks,
                            results,
                            static_cast<device::u64>(ring_),
                            sizeof(InPlaceTask),
                            sizeof(InPlaceResult),
                            begin,
                            static_cast<device::u64>(count)};
    std::memset(words, 0, 4096);
    *port.done = begin;
    std::uint64_t fed = begin;
    const auto feed = [&](std::uint64_t done) {
      // The CPU sweeps one slab after another.
      const std::uint64_t most = context_.shares_host_memory() ? end : ready(done, end);
      for (; fed < most; ++fed) {
        const InPlaceTask next = task(static_cast<std::int64_t>(fed));
        std::memcpy(tasks + fed % static_cast<std::uint64_t>(ring_) * sizeof next, &next, sizeof next);
      }
      __atomic_store_n(port.ready, fed, __ATOMIC_RELEASE);
    };
    feed(begin);
    const auto started = std::chrono::steady_clock::now();
    double seconds = 0;
    if (context_.shares_host_memory()) {
      sweep_.run(port);
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    } else {
      auto begun = context_.record(device::Queue::compute);
      sweep_.run(port);
      auto ended = context_.record(device::Queue::compute);
      while (!ended->done()) {
        feed(__atomic_load_n(port.done, __ATOMIC_ACQUIRE));
        if (std::chrono::steady_clock::now() - started > std::chrono::seconds(30)) *port.abort = 1;
      }
      seconds = ended->seconds_since(*begun);
    }
    if (*port.done != end) throw DeviceError("InPlaceGrid", "the launch left slabs undone");
    return seconds;
  }

  InPlaceSpec spec_;
  device::Context& context_;
  device::BlockKernel& sweep_;
  static constexpr std::int64_t ring_ = 1 << 14;  // blocks that a launch knows at a time
  std::int64_t size_, bytes_, sweeps_ = 0;
  device::Memory grid_, port_;
};

}  // namespace terrace::in_place::testing
