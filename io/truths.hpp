// Truth values as numbers.
#pragma once

#include <memory>

#include "io/source.hpp"

namespace terrace::io {

/// An array of truth values as f32: 0 for false, 1 for true. @return the source itself if it has others
/// (Source::truths())
std::shared_ptr<Source> numbers_of_truths(std::shared_ptr<Source> source);

}  // namespace terrace::io
