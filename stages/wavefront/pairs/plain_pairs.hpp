// Pairs computed again by the plain program, to verify results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/kept.hpp"
#include "stages/verifier.hpp"
#include "stages/wavefront/pairs/definition.hpp"

namespace terrace::stages {

/// Pairs that are checked together.
inline constexpr std::int64_t verified_together = 256;

/// Elements of items of a side.
std::vector<std::byte> read_item_bytes(const PairSide& side, std::int64_t begin, std::int64_t end);

/// Results of the plain program for one row and some columns.
struct PlainScores {
  std::vector<std::byte> scores;  // in the type of the result
  std::vector<pairs::End> ends;
};

class PlainPairs {
 public:
  /// @param definition outlives the program
  explicit PlainPairs(const PairsDefinition& definition);
  PlainScores compute(std::int64_t row, std::int64_t column_begin, std::int64_t column_end) const;

 private:
  const PairsDefinition& definition_;
  std::unique_ptr<device::Context> cpu_;
  std::unique_ptr<device::BlockKernel> kernel_;
};

/// The pairs beyond a limit, as a list.
Checked verify_found(const VerifyRequest& request, const PairsDefinition& definition);

/// The alignments of pairs, followed over the sequences.
Checked verify_alignments(const VerifyRequest& request, const PairsDefinition& definition);

}  // namespace terrace::stages
