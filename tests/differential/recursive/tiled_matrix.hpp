// Blocks of updates, and a square matrix in tiles, updated through launches on any device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/recursive/task.hpp"
#include "kernels/recursive/tiles.hpp"

namespace terrace::recursive::testing {

/// Values in memory that the host and the kernels of a context reach.
template <class T>
class Values {
 public:
  Values(device::Context& context, const std::vector<T>& values)
      : size_(values.size()), memory_(context, values.size() * sizeof(T), device::In::host) {
    std::copy(values.begin(), values.end(), data());
  }
  T* data() const { return memory_.template as<T>(); }
  std::vector<T> vector() const { return {data(), data() + size_}; }

 private:
  std::size_t size_;
  device::Memory memory_;
};

/// The outcome of a launch.
struct Launched {
  std::size_t done;  // blocks
  double seconds;    // of the device
};

/// The descriptor of blocks with such results.
template <class Result>
struct TaskOfResult;
template <>
struct TaskOfResult<TileResult> {
  using Type = TileTask;
};
template <class Result>
using TaskOf = typename TaskOfResult<Result>::Type;

/// Runs one launch over blocks, each of which may depend on earlier blocks.
template <class Result, class Task = TaskOf<Result>>
Launched run_blocks(device::Context& context, device::BlockKernel& kernel,
                    const std::vector<std::type_identity_t<Task>>& tasks, std::vector<Result>& results,
                    bool abort = false) {
  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
  };
  const auto in_host_memory = [&](std::size_t bytes) { return device::Memory(context, bytes, device::In::host); };
  const device::Memory words = in_host_memory(sizeof(Words)),
                       descriptors = in_host_memory(tasks.size() * sizeof(Task)),
                       found = in_host_memory(tasks.size() * sizeof(Result));
  auto* at = words.as<Words>();
  *at = {tasks.size(), 0, abort, 0, 0, 0};
  std::copy(tasks.begin(), tasks.end(), descriptors.as<Task>());
  const auto begin = context.record(device::Queue::compute);
  kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, descriptors.as<void>(),
              found.as<void>(), tasks.size(), sizeof(Task), sizeof(Result), 0, tasks.size()});
  const auto end = context.record(device::Queue::compute);
  end->wait();
  results.insert(results.end(), found.as<Result>(), found.as<Result>() + at->done);
  return {at->done, end->seconds_since(*begin)};
}

/// Tiles of a row-major n x n matrix, each tightly packed as the executor holds them.
template <class T>
class TiledMatrix {
 public:
  TiledMatrix(device::Context& context, const std::vector<T>& matrix, std::int64_t n, std::int64_t tile)
      : context_(context), n_(n), tile_(tile), across_((n + tile - 1) / tile), matrix_(context, matrix) {
    for (std::int64_t i = 0; i < across_; ++i) {
      for (std::int64_t j = 0; j < across_; ++j) {
        const std::vector<T> empty(static_cast<std::size_t>(side(i) * side(j)), T(7));
        tiles_.push_back(std::make_unique<Values<T>>(context, empty));
      }
    }
  }

  /// All updates, k by k: the diagonal tile, the tiles of its row and its column, and all others, a launch each.
  /// @returns the results of blocks, in order
  std::vector<TileResult> close(device::BlockKernel& kernel, bool clamped) {
    return update_all(kernel, clamped, false);
  }

  /// The same of an elimination, in which k changes the tiles from its own on.
  std::vector<TileResult> eliminate(device::BlockKernel& kernel) { return update_all(kernel, false, true); }

  std::vector<T> matrix() const {
    std::vector<T> all(static_cast<std::size_t>(n_ * n_));
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t j = 0; j < n_; ++j) {
        all[static_cast<std::size_t>(i * n_ + j)] = at(i / tile_, j / tile_)[i % tile_ * side(j / tile_) + j % tile_];
      }
    }
    return all;
  }

 private:
  std::vector<TileResult> update_all(device::BlockKernel& kernel, bool clamped, bool from_pivot_on) {
    std::vector<TileResult> results;
    for (std::int64_t k = 0; k < across_; ++k) {
      std::vector<TileTask> panels, others;
      const std::int64_t first = from_pivot_on ? k : 0;
      for (std::int64_t i = first; i < across_; ++i) {
        for (std::int64_t j = first; j < across_; ++j) {
          if (i == k && j == k) continue;
          (i == k || j == k ? panels : others).push_back(task(i, j, k, clamped));
        }
      }
      for (const std::vector<TileTask>& tasks : {std::vector<TileTask>{task(k, k, k, clamped)}, panels, others}) {
        if (run_blocks(context_, kernel, tasks, results).done != tasks.size()) {
          throw std::runtime_error("the launch ended before its blocks were done");
        }
      }
    }
    return results;
  }

  std::int64_t side(std::int64_t i) const { return std::min(tile_, n_ - i * tile_); }
  T* at(std::int64_t i, std::int64_t j) const { return tiles_[static_cast<std::size_t>(i * across_ + j)]->data(); }

  TileTask task(std::int64_t i, std::int64_t j, std::int64_t k, bool clamped) const {
    TileTask task{};
    task.rows = side(i);
    task.columns = side(j);
    task.depth = side(k);
    task.first_pivot = k * tile_;
    task.function = i == k ? (j == k ? Function::a : Function::b) : (j == k ? Function::c : Function::d);
    task.last = k + 1 == across_;
    task.clamped = clamped;
    task.x = at(i, j);
    task.x_stride = side(j);
    if (j != k) task.u = at(i, k), task.u_stride = side(k);
    if (i != k) task.v = at(k, j), task.v_stride = side(j);
    if (k == 0) task.input = matrix_.data() + i * tile_ * n_ + j * tile_, task.input_stride = n_;
    return task;
  }

  device::Context& context_;
  std::int64_t n_, tile_, across_;
  Values<T> matrix_;
  std::vector<std::unique_ptr<Values<T>>> tiles_;
};

}  // namespace terrace::recursive::testing
