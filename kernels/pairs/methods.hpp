// The methods of pairs (launch/method.hpp). Their cost is of a cell of the pairs' tables, or of their windows.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/launch/method.hpp"
#include "kernels/pairs/spec.hpp"

namespace terrace::pairs {

/// Kernels, but for those of sweeps, compute blocks of PairsTask and PairsResult, which do not depend on each other.
using PairsMethod = device::Method<PairsSpec>;

/// The method that sweeps the table of one pair after another, of both back ends: blocks are SweepsTask (sweeps.hpp).
/// Plans take it beside another one, for pairs with an item too long for lanes.
inline constexpr const char* sweeps_name = "sweeps";
inline constexpr const char* sweeps_help = "one long pair after another, by a sweep of its table";

/// All methods: those of CUDA, where this program has them, then those of the CPU.
std::span<const PairsMethod> pairs_methods();

/// The rows of CUDA (cuda/methods.cpp); none in a program without it.
std::span<const PairsMethod> pairs_cuda_methods();

/// The cheapest method. @throws DeviceError if there is none
const PairsMethod& choose_pairs_method(const PairsSpec& spec, device::Backend backend, const device::Limits& limits);

}  // namespace terrace::pairs
