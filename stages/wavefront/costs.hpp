// Expected costs of sweeps: measured rates of cells, and the least of the ceilings.
#pragma once

#include <string_view>

#include "kernels/wavefront/sweep.hpp"
#include "pipeline/run/stage.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/alignment/levels.hpp"
#include "stages/wavefront/blocks.hpp"

namespace terrace::stages {

/// The predicted work and rate of a sweep over the whole table.
/// @param blocks of it
run::Prediction predict(const wavefront::SweepSpec& spec, std::int64_t blocks, const TableNeed& need,
                        const Resources& resources);

/// Cells a second that the operations of a method of the back end allow, whatever memory does; 0 if not known.
double limit_of_operations(const wavefront::SweepSpec& spec, std::string_view method, const Resources& resources);

/// Adds the way back of an alignment.
void add_way_back(const WayBack& back, bool cuda, run::Prediction& prediction);
/// The same between lines that are kept in differences.
void add_bit_way_back(const WayBack& back, bool cuda, run::Prediction& prediction);

}  // namespace terrace::stages
