// The worker, which computes a stage's blocks on one device.
#pragma once

#include "kernels/launch/port.hpp"
#include "pipeline/run/access.hpp"
#include "pipeline/run/phase.hpp"

namespace terrace::run {

/// Workspace, library handles and kernels of one device. Made by the plan, owned by the executor.
class Worker {
 public:
  virtual ~Worker() = default;

  /// Writes the descriptor that the kernel reads, of Plan::descriptor_bytes(). Called when the block may begin: its
  /// inputs are there and its outputs are free. Another thread may be in `run` at the same time.
  virtual void bind(const Phase& phase, const BlockView& view, void* descriptor) const = 0;
  /// Computes the blocks of `port`; called on the context's compute queue (see device::Context::submit). If the
  /// phase is no chain, all of them are ready, and their descriptors written, before the call.
  /// @param attempt number of times that the first of these blocks has failed its checks
  virtual void run(const Phase& phase, const device::Port& port, int attempt) = 0;
};

}  // namespace terrace::run
