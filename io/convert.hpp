// Arrays in another element type.
#pragma once

#include <memory>

#include "io/rounded.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// A source whose elements are converted to another type, rounded to the nearest where it is a floating-point one;
/// the source itself where they are of that type.
/// @param rounded looks at what is read as f32; null: nothing does
std::shared_ptr<Source> convert(std::shared_ptr<Source> source, ElementType type,
                                std::shared_ptr<RoundedElement> rounded = nullptr);

}  // namespace terrace::io
