// Nests on CUDA by warps that march, by kernels that are compiled at run time.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// Bytes of device memory in which it works, for the blocks of a spec (NestSpec::block).
std::size_t march_cuda_bytes(const NestSpec& spec, const device::Limits& limits);

/// @param spec for which CudaMarch::why_unfit() is empty @param workspace of march_cuda_bytes()
/// @throws DeviceError if the kernels cannot be compiled
std::unique_ptr<device::BlockKernel> make_march_cuda(const NestSpec& spec, device::Context& context, void* workspace);

}  // namespace terrace::nest
