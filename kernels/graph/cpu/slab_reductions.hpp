// Reductions over the rows of a slab on the CPU.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/graph/cpu/reductions.hpp"
#include "kernels/graph/cpu/stored_rows.hpp"

namespace terrace::graph {

/// Adds rows of a slab to reductions, of which the first slab makes the memory of the result.
template <class T>
class SlabReductions {
 public:
  explicit SlabReductions(int threads) : threads_(threads) {}

  /// Folds the results of rows. @return the number with these rows
  template <class Loops>
  double fold(Measure measure, const Rows& rows, const StoredRows<T>& from, bool is_first, double* state,
              const Loops& loops) {
    make_row_results(
        rows, [&](i64 row) { return row_result(measure, from.row(row), from.columns); }, loops);
    double all = is_first ? Reduce::start(measure) : *state;
    for (const double one : row_results_) all = Reduce::fold(measure, all, one);
    return *state = all;
  }

  /// Adds rows to the counts of bins.
  template <class Loops>
  void count(const Histogram& bins, const Rows& rows, const StoredRows<T>& from, bool is_first, i64* counts,
             const Loops& loops) {
    const auto size = static_cast<std::size_t>(bins.bins);
    if (is_first) std::fill_n(counts, size, 0);
    if (rows.empty()) return;
    counts_.assign(size * static_cast<std::size_t>(threads_), 0);
    const values::BinFinder bin_of(bins);
    loops.over_rows(rows, [&](i64 row, int thread) {
      count_row(bin_of, from.row(row), from.columns, counts_.data() + size * static_cast<std::size_t>(thread));
    });
    for (std::size_t at = 0; at < counts_.size(); ++at) counts[at % size] += counts_[at];
  }

  /// Lists positions of rows. @return how many there are with these rows
  template <class Loops>
  double list(const Positions& positions, const Rows& rows, const StoredRows<T>& from, bool is_first, i64* listed,
              const Loops& loops) {
    if (is_first) std::fill_n(listed, positions.elements(), 0);
    double all = std::bit_cast<double>(listed[positions.number_at()]);
    make_row_results(
        rows, [&](i64 row) { return static_cast<double>(count_listed(from.row(row), from.columns)); }, loops);
    // The number of positions before each row.
    for (double& own : row_results_) all += std::exchange(own, all);
    if (!rows.empty()) {
      loops.over_rows(rows, [&](i64 row, int) {
        list_row(positions, row, from.row(row), from.columns,
                 static_cast<i64>(row_results_[static_cast<std::size_t>(rows.number_of(row))]), listed);
      });
    }
    listed[positions.number_at()] = std::bit_cast<i64>(all);
    return all;
  }

 private:
  /// Makes a number of each row.
  template <class Make, class Loops>
  void make_row_results(const Rows& rows, const Make& make, const Loops& loops) {
    row_results_.resize(static_cast<std::size_t>(rows.size()));
    if (rows.empty()) return;
    loops.over_rows(rows,
                    [&](i64 row, int) { row_results_[static_cast<std::size_t>(rows.number_of(row))] = make(row); });
  }

  int threads_;
  std::vector<double> row_results_;  // of a reduction
  std::vector<i64> counts_;          // of each thread
};

}  // namespace terrace::graph
