// The rows of an array of two dimensions as a set of series.
#pragma once

#include <memory>

#include "io/source.hpp"

namespace terrace::io {

/// The keys of an input that make a set of its rows: `each`, and `end`.
std::span<const Parameter> row_set_parameters();

/// The source as the keys `each` and `end` ask for it; the source itself if they are not given.
/// @throws JobError at their places if it has no rows, or real numbers are wanted
std::shared_ptr<Source> with_rows_as_set(std::shared_ptr<Source> source, const Settings& settings);

}  // namespace terrace::io
