// A sequence with random mutations.
#pragma once

#include <memory>

#include "io/source.hpp"

namespace terrace::io {

/// The source of a mutant's length: counted, or assumed equal to the original's length, the expected value. A mutant
/// of expected length cannot be read.
enum class MutantLength { counted, expected };

/// DNA that differs from `original` (one dimension, u8 letters) at random places: each of its letters is mutated with
/// probability `rate`; of six mutations four replace the letter by another base (U is T), one deletes it, one puts a
/// random base before it. Any part is made alone, from the same part of the original. Counting takes some nanoseconds
/// a letter and eight bytes for 4096.
std::shared_ptr<Source> mutated(std::shared_ptr<Source> original, double rate, std::int64_t seed,
                                MutantLength length);

/// Bytes that it keeps if its letters are counted.
std::int64_t mutated_memory(std::int64_t letters);

}  // namespace terrace::io
