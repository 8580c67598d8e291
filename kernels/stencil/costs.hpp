// The expected costs of a stencil's cells, by measured rates.
#pragma once

#include <span>

#include "kernels/launch/method.hpp"
#include "kernels/stencil/measured_rates.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// Operations of a cell, a multiply-add being one; of formulas that a job writes their operations.
double operations_of(const StencilSpec& spec);

/// Multiply-adds of f32 a second of a device; 0 if not known.
double multiply_adds_of(device::Backend backend, const device::Limits& limits);

/// Cells a second that the operations of a method allow, whatever memory does; 0 if not known.
double limit_of(const device::Method<StencilSpec>& method, const StencilSpec& spec, const device::Limits& limits);

/// A kernel's use of the memory of its device, and what it takes beside the measured rate.
struct Visits {
  double steps = 1;         // that it makes between two visits of a cell
  double array_bytes = 0;   // a second, of constant arrays that each step reads; 0: as the device's memory has them
  double more_seconds = 0;  // a cell and step
};

/// The cost of a cell and step of a kernel: by the measured rates of the operator, between two measured radii by
/// their multiply-adds a second, in proportion to the device's; not less than the device's memory takes.
device::Cost cost_by(std::span<const measured::OperatorRates> rates, device::Backend backend, const StencilSpec& spec,
                     const device::Limits& limits, const Visits& visits);

/// The same of formulas that a job writes, on the CPU: by the measured rate of operations over strips.
device::Cost cost_of_strips(const StencilSpec& spec, const device::Limits& limits, const Visits& visits);
/// The same of those that are compiled, with the time that a compiler takes shared by all cells and steps.
device::Cost cost_of_compiled(const StencilSpec& spec, const device::Limits& limits, const Visits& visits);

}  // namespace terrace::stencil
