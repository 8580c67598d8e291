// Copying the pairs that count from scores of a block to the list of the result.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/kept.hpp"
#include "stages/wavefront/pairs/entries.hpp"

namespace terrace::stages {

/// A part of the list, in memory of the host.
struct ListPart {
  std::int64_t count;
  std::int64_t* pairs;  // two a pair
  std::byte* scores;
};

/// Pairs that a block copies: those that count, in order, into the parts, which have room for just these. Of a block
/// without pairs the parts are filled with zeros.
struct CopiedPairs {
  std::int64_t pairs = 0;
  const std::byte* scores = nullptr;
  std::function<ItemPair(std::int64_t number)> pair_of;
  std::vector<ListPart> parts;
  std::atomic<bool> ended{false};  // the kernel needs it no more
};

/// The descriptor of such a block.
struct CopyTask {
  CopiedPairs* copied;
};

/// A kernel for blocks of CopyTask, with results of pairs::KeptResult.
std::unique_ptr<device::BlockKernel> make_copies(const pairs::KeptSpec& spec);

}  // namespace terrace::stages
