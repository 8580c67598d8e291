// A sequence with random mutations.
#pragma once

#include <memory>

#include "io/source.hpp"

namespace terrace::io {

/// DNA that differs from `original` (one dimension, u8 letters) at random places: each of its letters is mutated with
/// probability `rate`; of six mutations four replace the letter by another base, one deletes it, one puts a random
/// base before it. Any part is made alone, from the same part of the original. Opening takes about a nanosecond a
/// letter and eight bytes for 4096.
std::shared_ptr<Source> mutated(std::shared_ptr<Source> original, double rate, std::int64_t seed);

}  // namespace terrace::io
