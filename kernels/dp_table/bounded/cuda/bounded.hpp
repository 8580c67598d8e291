// Tables whose steps are bounded on CUDA: their workspace, and kernels by rule.
#pragma once

#include <memory>

#include "kernels/dp_table/bounded/kernels.hpp"
#include "kernels/dp_table/bounded_methods.hpp"

namespace terrace::dp_table {

/// The places of what a kernel needs in its workspace.
struct BoundedPlaces {
  explicit BoundedPlaces(const BoundedSpec& spec);

  std::size_t passes, buffers[2];
  std::size_t bytes;
};

/// Bytes of the shared memory of a thread block.
std::size_t bounded_shared_bytes(const device::Limits& limits);

/// Makes the kernel of a rule, Best, Count or Reached. Defined in the source that the build makes for it
/// (cuda/bounded.cu.in).
template <class Rule>
std::unique_ptr<device::BlockKernel> make_bounded_of(const BoundedSpec& spec, device::Context& context,
                                                     void* workspace);

}  // namespace terrace::dp_table
