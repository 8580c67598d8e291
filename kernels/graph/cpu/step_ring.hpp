// The ring through which rows of an iteration stream, in the cache of a core.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/graph/cpu/nan.hpp"
#include "kernels/graph/cpu/ring_cut.hpp"
#include "kernels/graph/cpu/stored_rows.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::graph {

/// A ring whose slots have a row of each input of the body, and of each state once more: the states after steps of
/// even and of odd numbers. A step makes rows before those that the step after it needs are made anew: it is ahead by
/// the radius.
template <class T>
class StepRing {
 public:
  /// Gets memory, and places rows in it. @param first the first column of the rows
  void place(const RingCut& cut, const Iteration& iteration, i64 first) {
    const i64 size = ring_bytes(cut, iteration, sizeof(T)) / static_cast<i64>(sizeof(T));
    if (size > size_) memory_ = values::AlignedArray<T>(size_ = size);
    const std::size_t inputs = iteration.body.inputs.size(), states = iteration.states();
    const i64 slot = static_cast<i64>(inputs + states) * cut.pitch;
    const auto rows = [&](std::size_t array) {
      T* const data = memory_.data() + static_cast<i64>(array) * cut.pitch - first;
      return StoredRows<T>{nullptr, data, iteration.shape().columns, slot, static_cast<device::u32>(cut.slots)};
    };
    for (std::size_t turn = 0; turn < 2; ++turn) {
      values_[turn].clear();
      for (std::size_t n = 0; n < inputs; ++n) {
        values_[turn].push_back(rows(n < states && turn == 1 ? inputs + n : n));
      }
      states_[turn].assign(values_[turn].begin(), values_[turn].begin() + static_cast<std::ptrdiff_t>(states));
    }
  }

  /// Copies rows that a tile reads. @param from the inputs of the body @return true if one has a NaN
  bool load(Range rows, const RingTile& tile, const std::vector<StoredRows<T>>& from) {
    const Range all = tile.rows_after(0), columns = tile.columns_after(0);
    bool found = false;
    for (i64 row = std::max(rows.begin, all.begin); row < std::min(rows.end, all.end); ++row) {
      for (std::size_t n = 0; n < values_[0].size(); ++n) {
        found |= copy_looking_for_nan(from[n].row(row) + columns.begin, columns.size(),
                                      values_[0][n].row(row) + columns.begin);
      }
    }
    return found;
  }

  /// Copies rows above those that a tile makes, which the slab above has handed on, or made.
  /// @param from row(array, row) is a row: of a state after the step, or, where the step is 0, of an input of the
  /// body
  template <class FromRow>
  void take_over(const RingTile& tile, i64 step, const FromRow& from) {
    const Range above = tile.rows_above(step), columns = tile.columns_after(step);
    const auto copy = [&](std::size_t n, const StoredRows<T>& to, i64 row) {
      const T* cells = from(n, row);
      std::copy(cells + columns.begin, cells + columns.end, to.row(row) + columns.begin);
    };
    const auto& to = states(step);
    for (i64 row = above.begin; row < above.end; ++row) {
      for (std::size_t n = 0; n < to.size(); ++n) copy(n, to[n], row);
    }
    if (step > 0 || tile.handed == nullptr) return;
    // Other values are the same in all steps.
    const i64 first = tile.rows_after(tile.cut.steps).begin - tile.iteration.row_radius;
    for (i64 row = std::max<i64>(0, first); row < tile.rows_after(0).begin; ++row) {
      for (std::size_t n = to.size(); n < values_[0].size(); ++n) copy(n, values_[0][n], row);
    }
  }

  /// Fetches a share of the rows that are to be loaded into the cache: few lines at a time, so that the core does not
  /// wait for them. @param share from 0 on, of `shares`
  void fetch(Range rows, const RingTile& tile, const std::vector<StoredRows<T>>& from, i64 share, i64 shares) const {
    constexpr i64 line = 64 / static_cast<i64>(sizeof(T));
    const Range all = tile.rows_after(0), columns = tile.columns_after(0);
    const Range own{std::max(rows.begin, all.begin), std::min(rows.end, all.end)};
    const i64 arrays = std::ssize(values_[0]), lines = (columns.size() + line - 1) / line;
    const i64 count = std::max<i64>(0, own.size()) * arrays * lines, end = (share + 1) * count / shares;
    for (i64 at = share * count / shares; at < end;) {
      const i64 row = at / lines, first = at % lines, last = std::min(lines, first + end - at);
      const T* cells = from[static_cast<std::size_t>(row % arrays)].row(own.begin + row / arrays) + columns.begin;
      for (i64 n = first; n < last; ++n) __builtin_prefetch(cells + n * line, 0, 2);
      at += last - first;
    }
  }

  /// The inputs of the body after a step, and the states among them.
  const std::vector<StoredRows<T>>& values(i64 step) const { return values_[step % 2]; }
  const std::vector<StoredRows<T>>& states(i64 step) const { return states_[step % 2]; }

 private:
  values::AlignedArray<T> memory_;
  i64 size_ = 0;
  std::vector<StoredRows<T>> values_[2], states_[2];
};

}  // namespace terrace::graph
