// Alignments of the pairs of a block.
#pragma once

#include <atomic>
#include <memory>

#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/kept.hpp"

namespace terrace::pairs {

/// A block of alignments: of the listed pairs, in their order; items of a pair that is none are below 0. What is
/// behind the list is filled with zeros.
struct AlignmentsTask {
  ListedPairs* listed;
  i64 room;            // pairs for which starts, ends and identities have room
  i64 count;           // and lengths
  i64* starts;         // letters of row and column before each alignment
  i64* ends;           // the same after it
  double* identities;  // equal letters over columns of the alignment; 0 where it is empty
  i64* lengths;        // bytes of each cigar
  char* cigars;        // one after another
  i64 cigar_bytes;     // room for them
};

/// Bytes of all cigars of a block.
struct AlignmentsResult {
  i64 bytes;
};

/// The most bytes of a cigar of so many letters.
constexpr std::int64_t most_cigar_bytes(std::int64_t rows, std::int64_t columns) { return 2 * (rows + columns); }

/// A kernel for such blocks, in memory of the host. @throws DeviceError for other devices than CPUs
std::unique_ptr<device::BlockKernel> make_alignments(const PairsSpec& spec, device::Context& context);

/// Bytes of memory that the kernel takes on so many threads.
std::size_t alignments_bytes(const PairsSpec& spec, int threads);

}  // namespace terrace::pairs
