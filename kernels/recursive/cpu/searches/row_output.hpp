// The outputs of rows of distances: the table, or reductions of each row.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/recursive/cpu/bin_counts.hpp"
#include "kernels/recursive/searches.hpp"
#include "kernels/recursive/semiring.hpp"

namespace terrace::recursive {

/// The rows of a block. A row is put in parts, in the order of its nodes, by one thread.
template <class T>
class RowOutput {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, device::i64>;

 public:
  /// @param bins of the histogram, if the task has one
  RowOutput(const SearchTask& task, const std::optional<values::Bins>& bins, int threads)
      : task_(task),
        counts_(task.histogram != nullptr ? &bins.value() : nullptr, threads),
        outside_(static_cast<std::size_t>(threads)),
        eccentricity_(static_cast<T*>(task.eccentricity)),
        sum_(static_cast<Sum*>(task.sum)),
        reached_(task.reached) {
    if (!reduces()) return;
    std::fill_n(eccentricity_, task.rows, static_cast<T>(infinity<T>()));
    std::fill_n(sum_, task.rows, Sum(0));
    std::fill_n(reached_, task.rows, device::i64{0});
  }

  bool reduces() const { return eccentricity_ != nullptr; }
  /// A row of the table. It has none if it reduces().
  T* row(device::i64 row) const { return static_cast<T*>(task_.distance) + row * task_.distance_stride; }

  /// Takes distances of nodes [node, node + count) from the source of a row.
  void put(int thread, device::i64 row, device::i64 source, device::i64 node, const T* values, device::i64 count) {
    if (!reduces()) {
      std::copy_n(values, count, this->row(row) + node);
      return;
    }
    BinCounts* histogram = counts_.of(thread);
    for (device::i64 j = 0; j < count; ++j) {
      if (!(values[j] < infinity<T>()) || node + j == source) continue;
      T& farthest = eccentricity_[row];
      if (reached_[row] == 0 || farthest < values[j]) farthest = values[j];
      ++reached_[row];
      add(sum_[row], values[j]);
      if (histogram == nullptr) continue;
      if (!histogram->add(static_cast<double>(values[j]))) ++outside_[static_cast<std::size_t>(thread)].number;
    }
  }

  /// Adds the histogram of the rows to the task's, and says what it has counted.
  void end(SearchResult& result) const {
    if (task_.histogram == nullptr) return;
    counts_.add_to(task_.histogram, task_.makes_histogram != 0);
    result.counted = counts_.all();
    for (const Outside& own : outside_) result.outside += own.number;
  }

  /// True if a sum has left its type.
  bool overflowed() const { return overflowed_; }

 private:
  /// Distances that a thread has found in no bin, in a cache line of their own.
  struct alignas(64) Outside {
    device::i64 number = 0;
  };

  void add(Sum& sum, T value) {
    if constexpr (std::is_floating_point_v<T>) sum += value;
    else if (__builtin_add_overflow(sum, static_cast<Sum>(value), &sum)) overflowed_ = true;
  }

  const SearchTask& task_;
  ThreadCounts counts_;
  std::vector<Outside> outside_;
  T* eccentricity_;
  Sum* sum_;
  device::i64* reached_;
  std::atomic<bool> overflowed_{false};
};

}  // namespace terrace::recursive
