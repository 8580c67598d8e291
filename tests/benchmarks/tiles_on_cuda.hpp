// Shared parts of benchmarks of tiles on CUDA: matrices in device memory, launches timed by the device's clock, lines
// of results.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/error.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"

namespace terrace::recursive::testing {

/// An element as a function of its place: whole numbers from 1 to `most`.
template <class T>
struct Elements {
  std::uint64_t seed;
  std::uint64_t most;

  T at(std::int64_t i, std::int64_t j) const {
    std::uint64_t hash = (static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j)) + seed;
    hash = (hash ^ hash >> 31) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 29) * 0x94D049BB133111EBull;
    return static_cast<T>(1 + (hash >> 32) * most / (std::uint64_t{1} << 32));
  }
};

/// Largest elements for which sums over short paths are exact in the type.
template <class T>
constexpr std::uint64_t most_weight = sizeof(T) == 2 ? 10000 : 1000000;

/// A square matrix of tiles in device memory, tile after tile.
template <class T>
class DeviceMatrix {
 public:
  DeviceMatrix(device::Context& context, std::int64_t n, std::int64_t tile)
      : context_(context), n_(n), tile_(tile), memory_(context, bytes(n * n)) {}

  template <class Source>
  void fill(const Source& elements) {
    const device::Memory staging(context_, bytes(tile_ * tile_), device::In::host);
    for (std::int64_t i = 0; i < across(); ++i) {
      for (std::int64_t j = 0; j < across(); ++j) {
        T* to = staging.as<T>();
        for (std::int64_t row = 0; row < tile_; ++row) {
          for (std::int64_t column = 0; column < tile_; ++column) {
            *to++ = elements.at(i * tile_ + row, j * tile_ + column);
          }
        }
        context_.copy(device::Queue::up, at(i, j), staging.as<void>(), bytes(tile_ * tile_));
        context_.record(device::Queue::up)->wait();
      }
    }
  }
  std::vector<T> row(std::int64_t i) const {
    const Values<T> staging(context_, std::vector<T>(static_cast<std::size_t>(n_)));
    for (std::int64_t j = 0; j < across(); ++j) {
      context_.copy(device::Queue::down, staging.data() + j * tile_, at(i / tile_, j) + i % tile_ * tile_,
                    bytes(tile_));
    }
    context_.record(device::Queue::down)->wait();
    return staging.vector();
  }
  T* at(std::int64_t i, std::int64_t j) const { return memory_.as<T>() + (i * across() + j) * tile_ * tile_; }
  std::int64_t across() const { return n_ / tile_; }

 private:
  static std::size_t bytes(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); }

  device::Context& context_;
  std::int64_t n_, tile_;
  device::Memory memory_;
};

/// Seconds of one launch over the blocks.
inline double time_blocks(device::Context& context, const TileSpec& spec, std::int64_t side,
                          const std::vector<TileTask>& tasks) {
  const device::Memory workspace(context, tiles_cuda_bytes(spec, side));
  const auto kernel = make_tiles_cuda(spec, side, context, workspace.as<void>());
  std::vector<TileResult> results;
  const testing::Launched launched = testing::run_blocks(context, *kernel, tasks, results);
  if (launched.done != tasks.size()) throw DeviceError("benchmark", "a launch ended before its blocks were done");
  return launched.seconds;
}

/// @param share of n^3 updates that there are
inline void print(const std::string& what, std::int64_t n, double seconds, bool right, double share = 1) {
  const double rate = share * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / seconds;
  std::cout << fmt::format("{:40} {:10.3f} ms  {:9.1f} G/s  {}\n", what, 1e3 * seconds, 1e-9 * rate,
                           right ? "right" : "WRONG")
            << std::flush;
}

inline TileTask square_task(std::int64_t side) {
  TileTask task{};
  task.rows = task.columns = task.depth = side;
  task.x_stride = task.u_stride = task.v_stride = side;
  task.function = Function::d;
  return task;
}

/// Distances from one node by Dijkstra's method without a heap.
template <class T>
std::vector<T> distances_from(std::int64_t source, std::int64_t n, const Elements<T>& weights) {
  std::vector<T> distance(static_cast<std::size_t>(n), infinity<T>());
  std::vector<bool> settled(static_cast<std::size_t>(n));
  // As in the matrix, a node's way to itself has at least one edge.
  for (std::int64_t j = 0; j < n; ++j) distance[static_cast<std::size_t>(j)] = weights.at(source, j);
  for (std::int64_t turn = 0; turn < n; ++turn) {
    std::int64_t nearest = -1;
    for (std::int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (!settled[at] && (nearest < 0 || distance[at] < distance[static_cast<std::size_t>(nearest)])) nearest = j;
    }
    settled[static_cast<std::size_t>(nearest)] = true;
    const T from = distance[static_cast<std::size_t>(nearest)];
    for (std::int64_t j = 0; j < n; ++j) {
      T& way = distance[static_cast<std::size_t>(j)];
      way = std::min(way, static_cast<T>(from + weights.at(nearest, j)));
    }
  }
  return distance;
}

/// All updates of a matrix of across x across tiles in place, k by k. @param elimination true if k changes only the
/// tiles from its own on; @param at the tile in row i and column j
template <class T, class At>
std::vector<TileTask> updates_in_place(std::int64_t across, std::int64_t tile, bool elimination, const At& at) {
  std::vector<TileTask> tasks;
  const auto add = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    TileTask task = square_task(tile);
    task.function = i == k ? (j == k ? Function::a : Function::b) : (j == k ? Function::c : Function::d);
    task.first_pivot = k * tile;
    task.x = at(i, j);
    if (j != k) task.u = at(i, k);
    if (i != k) task.v = at(k, j);
    tasks.push_back(task);
  };
  for (std::int64_t k = 0; k < across; ++k) {
    const std::int64_t first = elimination ? k : 0;
    add(k, k, k);
    for (std::int64_t i = first; i < across; ++i) {
      if (i != k) add(i, k, k), add(k, i, k);
    }
    for (std::int64_t i = first; i < across; ++i) {
      for (std::int64_t j = first; j < across; ++j) {
        if (i != k && j != k) add(i, j, k);
      }
    }
  }
  return tasks;
}

template <class T>
std::vector<TileTask> updates_in_place(const DeviceMatrix<T>& x, std::int64_t tile, bool elimination) {
  return updates_in_place<T>(x.across(), tile, elimination,
                             [&](std::int64_t i, std::int64_t j) { return x.at(i, j); });
}

/// Runs report(device, numbers of the command line) on the first CUDA device. @returns the program's exit code
inline int run_on_cuda(int argc, char** argv,
                       const std::function<void(device::Context&, std::vector<std::int64_t>)>& report) {
  return cuda_benchmark_main([&](device::Context& context) {
    std::cout << fmt::format("{:.1f} T minima or sums of 32 bits a second\n",
                             1e-12 * context.limits().operations_per_second);
    std::vector<std::int64_t> numbers;
    for (int n = 1; n < argc; ++n) numbers.push_back(std::atoll(argv[n]));
    report(context, numbers);
  });
}

}  // namespace terrace::recursive::testing
