// The table that a step of a job describes.
#pragma once

#include "kernels/dp_table/table.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// A table and what is kept of it.
struct TableDefinition {
  dp_table::Table table;  // not cut yet
  bool at_most = false;   // true: the value is that of the best cell, of max; else of the last one
  bool keeps_table = false, keeps_choice = false, keeps_solution = false;
};

/// @throws JobError at the place of the setting that is wrong
TableDefinition define_table(const Request& request);

}  // namespace terrace::stages
