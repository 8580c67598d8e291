// The kernels of pairs on the CPU that have a pair in each lane of a vector.
#pragma once

#include <memory>

#include "kernels/device/cpu_context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/spec.hpp"

namespace terrace::pairs {

/// Alignments: smith_waterman, needleman_wunsch.
std::unique_ptr<device::BlockKernel> make_letters_lanes(const PairsSpec& spec, device::CpuContext& context,
                                                        device::InstructionSet set);
/// edit_distance and lcs.
std::unique_ptr<device::BlockKernel> make_bits_lanes(const PairsSpec& spec, device::CpuContext& context,
                                                     device::InstructionSet set);
/// Time warping.
std::unique_ptr<device::BlockKernel> make_series_lanes(const PairsSpec& spec, device::CpuContext& context,
                                                       device::InstructionSet set);

/// A kernel of the method `lanes`, for an instruction set. @throws DeviceError for other devices than CPUs
std::unique_ptr<device::BlockKernel> make_lanes(const PairsSpec& spec, device::Context& context,
                                                device::InstructionSet set);
/// The same of the instruction set of the context.
std::unique_ptr<device::BlockKernel> make_lanes(const PairsSpec& spec, device::Context& context, void*);

/// The reason why the method does not compute a spec; empty: it does.
std::string unfit_for_lanes(const PairsSpec& spec, const device::Limits& limits);

/// Bytes of memory that its kernels take on `threads` threads, for blocks of `pairs` pairs.
std::size_t lanes_bytes(const PairsSpec& spec, int threads);

}  // namespace terrace::pairs
