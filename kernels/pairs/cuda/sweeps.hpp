// The workspace of swept pairs on CUDA, and the method that sweeps them.
#pragma once

#include <cstddef>

#include "kernels/device/context.hpp"
#include "kernels/launch/port.hpp"
#include "kernels/pairs/sweeps.hpp"
#include "kernels/wavefront/methods.hpp"

namespace terrace::pairs {

/// The state that the kernels of one block share, in device memory, and the words, the descriptor and the result by
/// which its sweeps are fed: these ask the device and not the host, but for an abort.
struct SweepsState {
  u64 begun;                                       // 0: the launch was stopped, and the block's kernels do nothing
  u64 aborted;                                     // not 0: the host aborts
  u64 ready, stop, done, failed, skipped, unused;  // of the sweep of a pair (launch/port.hpp)
  wavefront::BlockTask task;
  wavefront::BlockResult result;
};

struct SweepsPlan {
  SweepsPlan(const PairsSpec& spec, const device::Limits& limits);

  const wavefront::SweepMethod* method;  // of all pairs
  std::size_t state = 0, sweep;          // places in the workspace
  std::size_t sweep_bytes, workspace_bytes;
};

}  // namespace terrace::pairs
