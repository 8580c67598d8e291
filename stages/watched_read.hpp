// Reading whole arrays while a stage is planned.
#pragma once

#include <string>

#include "io/source.hpp"
#include "pipeline/base/watch.hpp"

namespace terrace::stages {

/// Reads all of an array, some MiB at a time. @param buffer holds all of it @param name of the array in the job, for
/// the watch @throws as Source::read() and the watch do
void read_watched(io::Source& source, void* buffer, const std::string& name, const Watch& watch);

/// The part of a plan's work that reads an array, for a Watch: "reading 'm' to plan".
std::string reading_part(const std::string& name);

}  // namespace terrace::stages
