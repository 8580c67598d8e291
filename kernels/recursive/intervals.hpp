// Problems over intervals, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/device/cpu_features.hpp"
#include "kernels/recursive/rules/interval_task.hpp"
#include "kernels/recursive/tiles.hpp"

namespace terrace::recursive {

/// The parameters that define blocks of a triangle of tiles.
struct IntervalSpec {
  int rule = 0;  // a number of Rules (interval_rules.hpp)
  ElementType value = ElementType::i32;
  bool splits = false;
};

/// True if there are kernels of that rule and type.
bool has_intervals(const IntervalSpec& spec);

/// Descriptors are IntervalTask, results IntervalResult. A launch computes its blocks one after another, each by all
/// threads of the CPU, so that a block may use results of earlier blocks of the launch.
/// @throws DeviceError if there are no kernels
std::unique_ptr<device::BlockKernel> make_intervals_cpu(const IntervalSpec& spec, device::Context& context);
/// With a chosen instruction set, which the CPU must have.
std::unique_ptr<device::BlockKernel> make_intervals_cpu(const IntervalSpec& spec, device::Context& context,
                                                        device::InstructionSet set);

/// Additional bytes of device memory that blocks on CUDA need for tiles of at most `side` rows and columns.
std::size_t intervals_cuda_bytes(const IntervalSpec& spec, std::int64_t side);

/// The same on CUDA: tiles lie in device memory, and so does the workspace of intervals_cuda_bytes(), which outlives
/// the blocks. All blocks of a launch are ready, and their descriptors written, when it is run. Values are equal to
/// the CPU's if every sum and product is exact. @throws DeviceError if there are no kernels
std::unique_ptr<device::BlockKernel> make_intervals_cuda(const IntervalSpec& spec, std::int64_t side,
                                                         device::Context& context, void* workspace);

}  // namespace terrace::recursive
