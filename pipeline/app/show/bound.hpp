// The activities that take a stage's time, and those that bound it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace terrace::app {

/// Activities that take a stage's time, in the order in which they are listed.
inline constexpr std::array<const char*, 4> activity_names{"computing", "reading", "copying", "writing"};

/// Seconds during which each of the activities was under way.
using ActivitySeconds = std::array<double, activity_names.size()>;

/// The activity of a movement of tiles, by the profile's name of the movement; nullopt if it is none of a stage.
std::optional<std::size_t> activity_of(const std::string& movement);

/// "computing and writing": the activities that took a stage's time, all that lasted nearly as long as the stage
/// itself, or else the longest. Where none took half of the time: "none of these: it mostly started, ...".
std::string bound_by(const ActivitySeconds& activities, double seconds);

}  // namespace terrace::app
