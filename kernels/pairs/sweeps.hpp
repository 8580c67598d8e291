// Pairs with an item too long for lanes: each by a sweep of its own table (wavefront/sweep.hpp), one after another. A
// sweep keeps the borders of rows of cells, and no table.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/launch/block_kernel.hpp"
#include "kernels/launch/method.hpp"
#include "kernels/pairs/spec.hpp"
#include "kernels/pairs/swept_score.hpp"
#include "kernels/wavefront/sweep.hpp"

namespace terrace::pairs {

/// Elements of the items that lanes take, at most. Not measured.
inline constexpr i64 most_lane_elements = 65535;

/// A pair whose items lie in memory of the device that computes it.
struct SweptPair {
  const void *rows, *columns;  // u8 codes of letters, or values of PairsSpec::value
  i64 row_count, column_count;
};

/// The pairs of a block. The host makes it before the block begins.
struct SweptPairs {
  std::vector<SweptPair> pairs;
  std::atomic<bool> ended{false};  // the kernel needs it no more
};

/// The descriptor of a block of such pairs. Its result is PairsResult.
struct SweepsTask {
  SweptPairs* listed;
  void* scores;  // one value of PairsSpec::value a pair, in their order
  End* ends;     // one a pair; null: not asked for
};

/// The sweep of a pair's table, in one block.
wavefront::SweepSpec sweep_of(const PairsSpec& spec, i64 rows, i64 columns, device::Backend backend);

/// The block of such a sweep.
wavefront::BlockTask whole_table(const SweptPair& pair);

/// The report of a pair's table before it is swept. @param swept takes false if no cell of it counts
wavefront::BlockResult report_before(const Description& problem, const SweptPair& pair, bool& swept);

/// The places of the scores of a block, and their type and limit.
SweptScores swept_scores(const PairsSpec& spec, const SweepsTask& task);

/// Makes the kernel of the CPU for blocks of SweepsTask. @throws DeviceError for other devices
std::unique_ptr<device::BlockKernel> make_sweeps(const PairsSpec& spec, device::Context& context, void*);

/// Bytes of memory that it takes on so many threads.
std::size_t sweeps_bytes(const PairsSpec& spec, int threads);

/// The reason why the pairs of a spec are not swept: lanes take all of them.
std::string unfit_for_sweeps(const PairsSpec& spec);

}  // namespace terrace::pairs
