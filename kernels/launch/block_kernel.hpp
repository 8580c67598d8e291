// The class of kernels that compute the blocks of a launch.
#pragma once

#include "kernels/launch/port.hpp"

namespace terrace::device {

/// A kernel with the memory that it works in, on one device. Which descriptors and results its blocks have, and how
/// they may depend on one another within a launch, is said where it is made.
class BlockKernel {
 public:
  virtual ~BlockKernel() = default;
  /// Computes blocks [port.first, port.first + port.count), which are numbered one after another. On the CPU returns
  /// when the launch has ended; on CUDA submits the launch to the context's compute queue. Ends early on stop, on
  /// abort and on a block that fails its checks. @throws DeviceError when a launch fails
  virtual void run(const Port& port) = 0;
};

}  // namespace terrace::device
