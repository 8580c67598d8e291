// The arrays that a stencil reads, in the type of the grid.
#pragma once

#include <memory>

#include "io/data_error.hpp"
#include "io/source.hpp"

namespace terrace::stages {

/// A source of f32 or f64 of which a NaN is a DataError of the read that names the cell.
std::shared_ptr<io::Source> without_nan(std::shared_ptr<io::Source> source, io::DataLabel label);

/// The source in type f32 or f64: 1 if an element is not 0, else 0. NaN is a DataError of the read.
std::shared_ptr<io::Source> as_mask(std::shared_ptr<io::Source> source, ElementType type, io::DataLabel label);

}  // namespace terrace::stages
