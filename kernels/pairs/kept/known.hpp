// Blocks of which some pairs have scores that were computed before.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/kept.hpp"

namespace terrace::pairs {

/// The pairs of a block without those whose scores are known.
class OtherPairs {
 public:
  /// Computes them, and writes their scores and ends. @param score bytes of a score @return false if the kernel left
  /// the block (device::compute_one)
  bool compute(device::BlockKernel& kernel, const PairsTask& task, const KnownScores& known, std::size_t score,
               PairsResult& result, device::u64& abort);

 private:
  std::vector<i64> numbers_;
  std::vector<Pair> pairs_;
  std::vector<std::byte> scores_;
  std::vector<End> ends_;
};

/// Calls visit(number, score, end) for each pair whose score is known: pointers to these; no end: null.
/// @param score bytes of a score
template <class Visit>
void over_known(const KnownScores& known, std::size_t score, const Visit& visit) {
  std::size_t at = 0;
  for (const KnownScores::Run& run : known.runs) {
    for (i64 n = 0; n < run.count; ++n) {
      visit(known.numbers[at++], run.scores + static_cast<std::size_t>(n) * score,
            run.ends == nullptr ? nullptr : run.ends + n);
    }
  }
}

}  // namespace terrace::pairs
