// The rate that a plan of a stencil expects of its kernel.
#pragma once

#include "kernels/stencil/stencil.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The kernels that make steps.
enum class StencilWay { stream, step, overlapped, skewed, cpu };

/// Operations of a cell, a multiply-add being one.
double operations_of(const stencil::StencilSpec& spec);

/// The kernel that makes the steps of a stencil.
StencilWay stencil_way(const stencil::StencilSpec& spec, bool cuda);

/// Multiply-adds of f32 a second of a device; 0 if not known.
double multiply_adds_of(const Resources& resources);

/// Cells a second of a device: by the measured rates of the operator, between two measured radii by their
/// multiply-adds a second, in proportion to the device's; not more than the device's memory gives for the steps that
/// the kernel makes at a time.
double stencil_speed(const stencil::StencilSpec& spec, const Resources& resources);

}  // namespace terrace::stages
