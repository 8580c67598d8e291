// The stage `dp_table`: tables with many dimensions in which a cell combines the cells where its steps lead.
#pragma once

#include <memory>

#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// @throws JobError if the settings make no table, or no plan fits the budgets
std::unique_ptr<run::Stage> make_dp_table(const Request& request);

}  // namespace terrace::stages
