// Sets of jobs that are known not to fit into the bins that are left.
#pragma once

#include <span>
#include <vector>

#include "kernels/makespan/jobs.hpp"

namespace terrace::makespan {

/// A hash table of fixed size, in which a later set replaces an earlier one. Sets are compared as a whole, so that
/// one that is found has failed.
class FailedSets {
 public:
  /// @param words of a set of jobs, 64 a word @param bytes of memory at most; of less than a set: keeps none
  FailedSets(i64 words, std::size_t bytes);

  /// Forgets all sets.
  void clear() { ++epoch_; }
  void add(std::span<const u64> jobs, i64 bins);
  bool has(std::span<const u64> jobs, i64 bins) const;

 private:
  std::size_t place_of(std::span<const u64> jobs, u64 tag) const;
  u64 tag_of(i64 bins) const { return epoch_ << 24 | static_cast<u64>(bins); }

  std::size_t places_ = 0;
  u64 epoch_ = 1;
  std::vector<u64> sets_;  // of each place the tag and the jobs; empty until one is added
  std::size_t words_;
};

}  // namespace terrace::makespan
