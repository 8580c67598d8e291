// Blocks of tables of a problem that is in no list, on CUDA: the kernel is compiled when it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"

namespace terrace::wavefront {

/// A problem, and the largest block of its table.
struct WrittenSweep {
  /// The struct `Written`, which has WrittenBase (written_base.hpp) as base, and score, cell, top and left
  /// (problem.hpp), for namespace terrace::wavefront. It may use values/exact.hpp.
  std::string source;
  bool has_values = false;  // items and cells are of f32; else letters (u8) and whole numbers of 32 bits
  std::int64_t rows = 1, columns = 1;
};

/// Bytes of device memory in which a sweep works.
std::size_t written_cuda_bytes(const WrittenSweep& sweep, const device::Limits& limits);

/// The share of the rate of a device that bands fill which bands of a block reach.
double written_cuda_share(const WrittenSweep& sweep, const device::Limits& limits);

/// A kernel of which every launch takes one block: descriptors are BlockTask, with borders of i64, or f64 of values;
/// results BlockResult. The words of the launch's port may be memory of the device.
/// @param workspace of written_cuda_bytes() @throws DeviceError if the kernel cannot be compiled
std::unique_ptr<device::BlockKernel> make_written_cuda(const WrittenSweep& sweep, device::Context& context,
                                                       void* workspace);

}  // namespace terrace::wavefront
