// Arrays in another element type.
#pragma once

#include <memory>

#include "io/rounded.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// A source whose elements are converted to another type, rounded to the nearest if that is a floating-point type;
/// the source itself if it already has the type.
/// @param rounded checks whole numbers that are read as f32 or f64; may be null
std::shared_ptr<Source> convert(std::shared_ptr<Source> source, ElementType type,
                                std::shared_ptr<RoundedElement> rounded = nullptr);

}  // namespace terrace::io
