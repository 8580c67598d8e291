// Histograms of distances that several threads count.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "kernels/values/bin_finder.hpp"

namespace terrace::recursive {

/// The counts of a thread.
class BinCounts {
 public:
  explicit BinCounts(const values::Bins& bins) : bin_of_(bins), counts_(static_cast<std::size_t>(bins.bins)) {}

  /// Counts a value. @return true if it lies in a bin
  bool add(double value) {
    const device::i64 bin = bin_of_(value);
    if (bin >= 0) ++counts_[static_cast<std::size_t>(bin)];
    return bin >= 0;
  }
  const std::vector<device::i64>& counts() const { return counts_; }

 private:
  values::BinFinder bin_of_;
  std::vector<device::i64> counts_;
};

/// The counts of all threads for a block.
class ThreadCounts {
 public:
  /// @param bins null: nothing is counted
  ThreadCounts(const values::Bins* bins, int threads) {
    for (int n = 0; bins != nullptr && n < threads; ++n) threads_.emplace_back(*bins);
  }
  /// Bytes of memory.
  static std::size_t bytes(const values::Bins& bins, int threads) {
    const auto each = static_cast<std::size_t>(bins.bins) * sizeof(device::i64);
    return static_cast<std::size_t>(threads) * (2 * each + sizeof(double));
  }

  /// The counts of a thread; null if nothing is counted.
  BinCounts* of(int thread) { return threads_.empty() ? nullptr : &threads_[static_cast<std::size_t>(thread)]; }
  /// The values that all threads have counted.
  device::i64 all() const {
    device::i64 all = 0;
    for (const BinCounts& own : threads_) {
      all = std::accumulate(own.counts().begin(), own.counts().end(), all);
    }
    return all;
  }
  /// Adds the counts of all threads to a histogram. @param makes true if it holds nothing yet
  void add_to(device::i64* histogram, bool makes) const {
    for (const BinCounts& own : threads_) {
      const std::vector<device::i64>& counts = own.counts();
      if (makes) std::fill_n(histogram, counts.size(), device::i64{0});
      makes = false;
      for (std::size_t bin = 0; bin < counts.size(); ++bin) histogram[bin] += counts[bin];
    }
  }

 private:
  std::vector<BinCounts> threads_;
};

}  // namespace terrace::recursive
