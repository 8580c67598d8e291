// The outputs of rows of distances: the table, or reductions of each row.
#pragma once

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "kernels/recursive/searches.hpp"
#include "kernels/recursive/semiring.hpp"

namespace terrace::recursive {

/// The rows of a block. A row is put in parts, in the order of its nodes, by one thread.
template <class T>
class RowOutput {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, device::i64>;

 public:
  explicit RowOutput(const SearchTask& task)
      : task_(task),
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
  void put(device::i64 row, device::i64 source, device::i64 node, const T* values, device::i64 count) {
    if (!reduces()) {
      std::copy_n(values, count, this->row(row) + node);
      return;
    }
    for (device::i64 j = 0; j < count; ++j) {
      if (!(values[j] < infinity<T>()) || node + j == source) continue;
      T& farthest = eccentricity_[row];
      if (reached_[row] == 0 || farthest < values[j]) farthest = values[j];
      ++reached_[row];
      add(sum_[row], values[j]);
    }
  }

  /// True if a sum has left its type.
  bool overflowed() const { return overflowed_; }

 private:
  void add(Sum& sum, T value) {
    if constexpr (std::is_floating_point_v<T>) sum += value;
    else if (__builtin_add_overflow(sum, static_cast<Sum>(value), &sum)) overflowed_ = true;
  }

  const SearchTask& task_;
  T* eccentricity_;
  Sum* sum_;
  device::i64* reached_;
  std::atomic<bool> overflowed_{false};
};

}  // namespace terrace::recursive
