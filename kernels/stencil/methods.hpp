// The methods of stencils: the kernels that could make steps, why they could not, and how fast they are expected to
// be.
#pragma once

#include <span>

#include "kernels/launch/method.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

using StencilMethod = device::Method<StencilSpec>;

/// All methods: those of CUDA, where this program has them, then those of the CPU. Their cost is of a cell and step.
std::span<const StencilMethod> stencil_methods();

/// The rows of CUDA (cuda/methods.cpp); none in a program without it.
std::span<const StencilMethod> stencil_cuda_methods();

/// Rows in whose time a launch of a method begins and ends, in addition to those that it makes.
double lost_rows(const StencilMethod& method, const StencilSpec& spec, const device::Limits& limits);
/// The same of a method of CUDA (cuda/methods.cpp).
double cuda_lost_rows(const StencilMethod& method, const StencilSpec& spec, const device::Limits& limits);

/// The method that computes in the place of one whose `make` finds that its kernel cannot be compiled here
/// (compiled::NotCompiled): the same bits in its workspace. Null if there is none.
const StencilMethod* method_instead(const StencilMethod& method);

/// The method that computes a stencil by its schedule. @throws DeviceError if there is none
const StencilMethod& choose_stencil_method(const StencilSpec& spec, device::Backend backend,
                                           const device::Limits& limits);

}  // namespace terrace::stencil
