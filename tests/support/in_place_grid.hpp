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
#include "kernels/in_place/sweep.hpp"
#include "kernels/in_place/task.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront::testing {

/// Device or host memory of a context, freed with its owner.
class GridMemory {
 public:
  GridMemory(device::Context& context, std::int64_t bytes, bool host = false)
      : context_(context), bytes_(static_cast<std::size_t>(bytes) + 256), host_(host) {
    data_ = host ? context.allocate_host(bytes_) : context.allocate(bytes_);
  }
  ~GridMemory() { host_ ? context_.release_host(data_, bytes_) : context_.release(data_, bytes_); }
  GridMemory(const GridMemory&) = delete;
  GridMemory& operator=(const GridMemory&) = delete;

  unsigned char* data() const { return static_cast<unsigned char*>(data_); }

 private:
  device::Context& context_;
  std::size_t bytes_;
  bool host_;
  void* data_;
};

/// The grid before and after a pass, and the carries between slabs, on the device.
class InPlaceGrid {
 public:
  /// @param sweep takes the grid's slabs; owned by the caller
  InPlaceGrid(const InPlaceSpec& spec, device::Context& context, device::BlockKernel& sweep)
      : spec_(spec),
        context_(context),
        sweep_(sweep),
        size_(static_cast<std::int64_t>(size_of(spec.value))),
        bytes_(spec.rows * spec.columns * size_),
        carry_bytes_((spec.pass_sweeps + 1) * spec.columns * size_),
        from_(context, bytes_),
        to_(context, bytes_),
        carries_(context, spec.slabs() * carry_bytes_),
        port_(context, 4096 + spec.slabs() * static_cast<std::int64_t>(sizeof(InPlaceTask) + sizeof(InPlaceResult)),
              true) {}

  /// Sweeps the grid `sweeps` times. @param launch_slabs most slabs of a launch @return seconds in launches
  template <class T>
  double run(std::vector<T>& grid, std::int64_t sweeps, std::int64_t launch_slabs) {
    copy(before_, grid.data(), device::Queue::up);
    const double seconds = sweep(sweeps, launch_slabs);
    copy(grid.data(), before_, device::Queue::down);
    return seconds;
  }

  /// Puts random values, between -1000 and 1000, on the device. @param seed of the values, which repeat every 16 MiB
  void fill(unsigned seed) {
    constexpr std::int64_t part = 16 << 20;
    GridMemory staging(context_, part, true);
    std::mt19937 random(seed);
    const auto put = [&]<class T>(T* values) {
      std::uniform_real_distribution<T> distribution(-1000, 1000);
      for (std::int64_t i = 0; i < part / static_cast<std::int64_t>(sizeof(T)); ++i) values[i] = distribution(random);
    };
    if (spec_.value == ElementType::f32) put(reinterpret_cast<float*>(staging.data()));
    else put(reinterpret_cast<double*>(staging.data()));
    for (std::int64_t at = 0; at < bytes_; at += part) {
      const auto bytes = static_cast<std::size_t>(std::min(part, bytes_ - at));
      if (context_.shares_host_memory()) {
        std::memcpy(before_ + at, staging.data(), bytes);
      } else {
        context_.copy(device::Queue::up, before_ + at, staging.data(), bytes);
        context_.record(device::Queue::up)->wait();
      }
    }
  }

  /// Sweeps the grid that is on the device, unchanged.
  double sweep(std::int64_t sweeps, std::int64_t launch_slabs) {
    double seconds = 0;
    for (std::int64_t left = sweeps; left > 0; left -= spec_.pass_sweeps) {
      seconds += pass(std::min(left, spec_.pass_sweeps), launch_slabs);
      std::swap(before_, after_);
    }
    return seconds;
  }

 private:
  void copy(void* to, const void* from, device::Queue queue) {
    if (bytes_ == 0) return;
    if (context_.shares_host_memory()) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes_));
      return;
    }
    GridMemory staging(context_, bytes_, true);
    const bool up = queue == device::Queue::up;
    if (up) std::memcpy(staging.data(), from, static_cast<std::size_t>(bytes_));
    context_.copy(queue, up ? to : staging.data(), up ? staging.data() : from, static_cast<std::size_t>(bytes_));
    context_.record(queue)->wait();
    if (!up) std::memcpy(to, staging.data(), static_cast<std::size_t>(bytes_));
  }

  InPlaceTask task(std::int64_t slab, std::int64_t sweeps) const {
    const std::int64_t row_bytes = spec_.columns * size_;
    InPlaceTask task{};
    task.row_begin = slab * spec_.slab_rows;
    task.row_end = std::min<std::int64_t>(spec_.rows, task.row_begin + spec_.slab_rows);
    task.sweeps = sweeps;
    task.grid = before_ + task.row_begin * row_bytes;
    task.result = after_ + task.row_begin * row_bytes;
    if (slab > 0) {
      task.before = after_ + (task.row_begin - sweeps) * row_bytes;
      task.above = carries_.data() + (slab - 1) * carry_bytes_;
    }
    if (task.row_end < spec_.rows) task.below = carries_.data() + slab * carry_bytes_;
    task.grid_stride = task.result_stride = task.carry_stride = spec_.columns;
    return task;
  }

  double pass(std::int64_t sweeps, std::int64_t launch_slabs) {
    double seconds = 0;
    for (std::int64_t first = 0; first < spec_.slabs(); first += launch_slabs) {
      seconds += launch(first, std::min(launch_slabs, spec_.slabs() - first), sweeps);
    }
    return seconds;
  }

  double launch(std::int64_t first, std::int64_t count, std::int64_t sweeps) {
    auto* words = reinterpret_cast<device::u64*>(port_.data());
    auto* tasks = port_.data() + 4096;
    auto* results = tasks + spec_.slabs() * static_cast<std::int64_t>(sizeof(InPlaceTask));
    const auto begin = static_cast<std::uint64_t>(first), end = static_cast<std::uint64_t>(first + count);
    const device::Port port{words,
                            words + 1,
                            words + 2,
                            words + 3,
                            words + 4,
                            words + 5,
                            tasks,
                            results,
                            static_cast<device::u64>(spec_.slabs()),
                            sizeof(InPlaceTask),
                            sizeof(InPlaceResult),
                            begin,
                            static_cast<device::u64>(count)};
    std::memset(words, 0, 4096);
    *port.ready = end;
    *port.done = begin;
    for (std::int64_t slab = first; slab < first + count; ++slab) {
      const InPlaceTask next = task(slab, sweeps);
      std::memcpy(tasks + slab * static_cast<std::int64_t>(sizeof next), &next, sizeof next);
    }
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
  std::int64_t size_, bytes_, carry_bytes_;
  GridMemory from_, to_, carries_, port_;
  unsigned char *before_ = from_.data(), *after_ = to_.data();
};

}  // namespace terrace::wavefront::testing
