// The search that a step of a job describes.
#pragma once

#include <optional>

#include "stages/makespan/tables.hpp"

namespace terrace::stages {

struct DefinedSearch {
  SearchDefinition search;           // not cut yet
  std::optional<JobSchedule> known;  // that bounds it, if it is to be bounded
};

/// @throws JobError if the times or machines are wrong, with places
DefinedSearch define_search(const Request& request);

}  // namespace terrace::stages
