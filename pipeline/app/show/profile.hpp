// The profile of a result in words.
#pragma once

#include <string>

#include "io/results/reader.hpp"

namespace terrace::app {

/// Of each stage: work, rate and limit, what was predicted, what the time went into, bytes moved, memory,
/// checkpoints. Empty where the file has no profile. @throws IoError
std::string describe_profile(const io::ResultReader& result);

}  // namespace terrace::app
