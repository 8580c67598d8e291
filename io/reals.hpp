// Series of numbers of any type as f32 or f64.
#pragma once

#include <memory>
#include <string>

#include "io/data_error.hpp"
#include "io/rounded.hpp"

namespace terrace::io {

/// A one-dimensional source of any type as a source of f32 or f64, each element rounded to the nearest. An element
/// that is not finite, or whose magnitude is above `most`, is a DataError that names its index.
/// @param too_large completes the message: "is too large for sums in f32"
/// @param rounded   checks whole numbers that are read as f32 or f64; may be null
/// @throws JobError if the source has another rank, or `type` is another
std::shared_ptr<Source> as_reals(std::shared_ptr<Source> source, ElementType type, double most, DataLabel label,
                                 std::string too_large, std::shared_ptr<RoundedElement> rounded = nullptr);

}  // namespace terrace::io
