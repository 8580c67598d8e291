// The search that a step of a job describes.
#pragma once

#include <optional>

#include "stages/makespan/tables.hpp"

namespace terrace::stages {

struct DefinedSearch {
  SearchDefinition search;           // not cut yet
  std::optional<JobSchedule> known;  // that bounds it, if it is to be bounded
};

/// Ends the search before its first table: the known schedule is the result.
void leave_out_tables(SearchDefinition& search);

/// @throws JobError if the times or machines are wrong, with places
DefinedSearch define_search(const Request& request);

}  // namespace terrace::stages
