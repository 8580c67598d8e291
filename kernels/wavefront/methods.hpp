// The methods of sweeps over wavefront tables (launch/method.hpp). Their cost is of a cell.
#pragma once

#include <span>

#include "kernels/launch/method.hpp"
#include "kernels/wavefront/sweep.hpp"

namespace terrace::wavefront {

using SweepMethod = device::Method<SweepSpec>;

/// All methods: those of CUDA, where this program has them, then those of the CPU.
std::span<const SweepMethod> wavefront_methods();

/// The rows of CUDA (cuda/methods.cpp); none in a program without it.
std::span<const SweepMethod> wavefront_cuda_methods();

/// The method of a sweep by its schedule. @throws DeviceError if there is none
const SweepMethod& choose_sweep_method(const SweepSpec& spec, device::Backend backend, const device::Limits& limits);

/// Bytes of device memory that the sweep needs for flags and borders between kernel tiles; on the CPU 0.
std::size_t sweep_workspace_bytes(const SweepSpec& spec, device::Backend backend, const device::Limits& limits);

/// The sweep by that method. @param workspace sweep_workspace_bytes() of device memory, owned by the caller; null on
/// the CPU
std::unique_ptr<device::BlockKernel> make_sweep(const SweepSpec& spec, device::Context& context, void* workspace);

}  // namespace terrace::wavefront
