// The types that a table is computed and stored in.
#pragma once

#include <string>

#include "kernels/wavefront/sweep.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Refuses tables beyond the range of 64 bits, and beyond the size of any file system.
/// @throws JobError at the place of `parameter`
void check_size(const Request& request, const wavefront::SweepSpec& spec, const char* parameter);

/// The rows and columns that `every` keeps of a table; one that is longer than both sides keeps the last alone.
wavefront::KeptLines kept_lines(const wavefront::SweepSpec& spec, ElementType type);

/// Types of a table of scores: cells as narrow as the bound allows. Scores with decimals are stored as they are: in
/// f64, which holds a whole number divided by the scale to the nearest bit.
/// @param spec problem, settings, rows and columns are read; value, border and table, or the type of kept rows and
/// columns, are chosen
/// @throws JobError if the type that the job names does not do, or the table is too large for any run
void choose_score_types(const Request& request, wavefront::SweepSpec& spec);

/// Layers and types of the tables of a problem that counts: i32, or i64 if there are too many cells.
/// @param spec as above, with the type of the grid
/// @throws JobError as above, and if the range is missing or does not suit the type of the grid
void choose_count_types(const Request& request, wavefront::SweepSpec& spec);

/// Types of a table of sums. @param spec as above, with the type of the grid
/// @throws JobError as above
void choose_sum_types(const Request& request, wavefront::SweepSpec& spec);

}  // namespace terrace::stages
