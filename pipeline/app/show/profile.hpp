// The profile of a result in words.
#pragma once

#include <string>

#include "io/results/reader.hpp"

namespace terrace::app {

/// For each stage: work, rate and limit, the prediction, the time of each activity, bytes moved, memory, checkpoints.
/// Empty if the file has no profile. @throws IoError
std::string describe_profile(const io::ResultReader& result);

}  // namespace terrace::app
