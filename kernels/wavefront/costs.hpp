// The expected costs of a sweep's cells, by measured rates.
#pragma once

#include "kernels/launch/method.hpp"
#include "kernels/wavefront/measured_rates.hpp"
#include "kernels/wavefront/sweep.hpp"

namespace terrace::wavefront {

/// Ways in which cells are computed.
enum class CellForm {
  bits,   // differences, a bit a row
  cells,  // one by one in registers
  tiles   // one by one in kernel tiles in memory: the papers' schedules
};

/// The row of the table for a sweep. @param backend the rate of one core of the CPU, or of the GPU
measured::CellCost cell_cost(const SweepSpec& spec, device::Backend backend, CellForm form);

/// The form in which the sweep's method computes cells: by its schedule, and in bits where it may.
CellForm form_of(const SweepSpec& spec);

/// The share of a GPU's rate that the bands of a block of letters or values reach.
double filled_share(const SweepSpec& spec, const device::Limits& limits);

/// The cost of a cell of a method.
device::Cost sweep_cost(const SweepSpec& spec, device::Backend backend, const device::Limits& limits, CellForm form);

}  // namespace terrace::wavefront
