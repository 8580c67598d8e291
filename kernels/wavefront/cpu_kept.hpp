// Rows and columns that are kept as results: copied from the borders of a block once it is computed.
#pragma once

#include <memory>

#include "kernels/wavefront/cpu_tickets.hpp"
#include "kernels/wavefront/cpu_waves.hpp"
#include "kernels/wavefront/sweep.hpp"

namespace terrace::wavefront {

/// What sweeps as `sweeper` does, and fills BlockTask::kept. `spec.kept` holds every value of the sweep.
/// @throws DeviceError where it does not
std::unique_ptr<BandSweeper> keep_edges(const SweepSpec& spec, std::unique_ptr<BandSweeper> sweeper);
std::unique_ptr<TileWaveSweeper> keep_edges(const SweepSpec& spec, std::unique_ptr<TileWaveSweeper> sweeper);

}  // namespace terrace::wavefront
