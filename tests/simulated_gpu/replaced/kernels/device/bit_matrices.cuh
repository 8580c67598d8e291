// Replaces the project's header of that name for kernels that are compiled for the simulated device.
#pragma once

#include <bit>
#include <cstring>

#include "kernels/device/instructions.cuh"
#include "tests/simulated_gpu/thread_block.hpp"

namespace terrace::device {

inline void load_matrices(u32 at, u32 (&words)[4]) {
  auto& block = simulated_gpu::ThreadBlock::current();
  const std::uint64_t* begins = block.exchange(at);
  for (u32 matrix = 0; matrix < 4; ++matrix) {
    const u64 from = begins[8 * matrix + block.lane() / 4] + 4 * (block.lane() % 4);
    std::memcpy(&words[matrix], launch_shared_memory() + from, sizeof(u32));
  }
}

inline void add_common_bits(i32 (&counts)[4], const u32 (&left)[4], u32 right, u32 right_further) {
  using simulated_gpu::warp_size;
  auto& block = simulated_gpu::ThreadBlock::current();
  const auto joined = [](u32 low, u32 high) { return u64{high} << 32 | low; };
  // Words t and t + 4 of a row side by side: which bits meet which is all that matters.
  const std::uint64_t mine[] = {joined(left[0], left[2]), joined(left[1], left[3]), joined(right, right_further)};
  const std::uint64_t* all = block.exchange(mine);
  const u32 g = block.lane() / 4, t = block.lane() % 4;
  for (u32 i = 0; i < 4; ++i) {
    for (u32 word = 0; word < 4; ++word) {
      const u64 row = all[i / 2 * warp_size + 4 * g + word], column = all[2 * warp_size + 4 * (2 * t + i % 2) + word];
      counts[i] += std::popcount(row & column);
    }
  }
}

}  // namespace terrace::device
