// The methods of sweeps in place (launch/method.hpp). Their cost is of a cell and sweep.
#pragma once

#include <span>

#include "kernels/in_place/sweep.hpp"
#include "kernels/launch/method.hpp"

namespace terrace::in_place {

using InPlaceMethod = device::Method<InPlaceSpec>;

/// All methods: those of CUDA, where this program has them, then those of the CPU.
std::span<const InPlaceMethod> in_place_methods();

/// The rows of CUDA (cuda/sweep.cpp); none in a program without it.
std::span<const InPlaceMethod> in_place_cuda_methods();

/// Cells a second and sweep that a device's operations allow, whatever memory does; 0 if not known.
double limit_of(const InPlaceSpec& spec, device::Backend backend, const device::Limits& limits);

/// The cost of a cell and sweep, by the measured rates.
device::Cost cost_of(const InPlaceSpec& spec, device::Backend backend, const device::Limits& limits);

}  // namespace terrace::in_place
