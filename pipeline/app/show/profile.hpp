// The profile of a result in words.
#pragma once

#include <string>

#include "io/results/reader.hpp"

namespace terrace::app {

/// For each stage: work, rate and limit, the prediction, the time of each activity, bytes moved, memory, checkpoints.
/// Stages that are taken over have the date at which they were computed. Empty if the file has no profile.
/// @param file the result @throws IoError that names file, dataset and row if the profile is damaged
std::string describe_profile(const io::ResultReader& result, const std::string& file);

}  // namespace terrace::app
