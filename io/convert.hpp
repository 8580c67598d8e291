// Arrays in another element type.
#pragma once

#include <memory>

#include "io/source.hpp"

namespace terrace::io {

/// A source whose elements are converted to another type, rounded to the nearest where it is a floating-point one;
/// the source itself where they are of that type.
std::shared_ptr<Source> convert(std::shared_ptr<Source> source, ElementType type);

}  // namespace terrace::io
