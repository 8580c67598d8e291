// Nests on CUDA that are tables of two sequences or series, by the kernel of such tables (kernels/wavefront),
// compiled at run time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/launch/method.hpp"
#include "kernels/nest/pair_table.hpp"

namespace terrace::nest {

/// The reason why a nest is none; empty: it is one.
std::string why_unfit_for_bands(const NestSpec& spec, const device::Limits& limits);
device::Cost cost_of_bands(const NestSpec& spec, const device::Limits& limits);

/// Bytes of device memory in which it works, for the blocks of a spec (NestSpec::block).
std::size_t bands_cuda_bytes(const NestSpec& spec, const device::Limits& limits);

/// @param spec for which why_unfit_for_bands() is empty @param workspace of bands_cuda_bytes()
/// @throws DeviceError if the kernel cannot be compiled
std::unique_ptr<device::BlockKernel> make_bands_cuda(const NestSpec& spec, device::Context& context, void* workspace);

/// The memory in which a block is made, in bytes from its start.
struct BandsMemory {
  explicit BandsMemory(const NestSpec& spec);

  i64 rows, columns;  // of the largest block
  std::size_t port_at, top_at, left_at, bottom_at, sweep_at;
};

}  // namespace terrace::nest
