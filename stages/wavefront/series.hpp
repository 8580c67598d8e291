// Series of numbers, as problems on values take them.
#pragma once

#include <cstdint>
#include <memory>

#include "io/source.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The series of both sides in the type that cells are computed in.
struct SeriesPair {
  std::shared_ptr<io::Source> rows, columns;
};

/// Opens the series that the job names and chooses the types of a table of costs: f32 if both are f32, else f64, or
/// the type that the job gives. Values must be finite, and so small that no pair's cost leaves the type.
/// @param spec problem and settings are read; rows, columns, value, border and table are chosen
/// @throws JobError if they are no series, or nothing to warp
SeriesPair open_series(const Request& request, wavefront::SweepSpec& spec);

/// The series of both sides, or those of sets one after another, in the type that cells are computed in: chosen as
/// open_series() does. @param value takes the type @throws JobError if they are no series
SeriesPair open_values(const Request& request, const Settings& settings, ElementType& value);

/// The total that a sweep of values reports.
/// @throws ComputeError if it has left the type
double total_of(const wavefront::SweepSpec& spec, std::int64_t score);

}  // namespace terrace::stages
