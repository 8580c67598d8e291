// What the tests of CUDA sweeps share: the device, or the line that says that there is none.
#pragma once

#include <cstring>
#include <iostream>
#include <memory>

#include "kernels/device/context.hpp"
#include "tests/support/cuda_table.hpp"

namespace terrace::wavefront::test {

/// The first CUDA device; null, after a line that says why, where there is none.
inline std::unique_ptr<device::Context> cuda_context() {
  std::string why;
  if (device::cuda_devices(&why).empty()) {
    std::cout << "SKIPPED: no CUDA device (" << why << ")" << std::endl;
    return nullptr;
  }
  return device::make_cuda_context(0);
}

/// Conditions of launch number `turn`: as it comes, one thread block, or random delays.
inline CudaTrial trial_of(unsigned turn) {
  CudaTrial trial;
  if (turn % 3 == 1) trial.thread_blocks = 1;
  if (turn % 5 == 3) trial.delay_seed = turn + 1;
  constexpr int lane_rows[] = {4, 32, 16, 64};
  trial.lane_rows = lane_rows[turn / 2 % 4];
  return trial;
}

template <class T>
T cell_of(const std::vector<unsigned char>& table, std::int64_t index) {
  T value;
  std::memcpy(&value, table.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

}  // namespace terrace::wavefront::test
