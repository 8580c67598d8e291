// The steps of a table, their costs and how often they may be taken: from the job, or from arrays that it names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "kernels/dp_table/steps.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// @throws JobError at the place of the setting that is wrong, or with the element of an array
dp_table::StepSet define_steps(const Request& request, const Extents& extents);

/// Costs as they are written, or as the shortest text of an array's numbers.
struct StepCosts {
  std::vector<std::string> texts;               // one of each step, or one of all
  std::shared_ptr<io::Source> array = nullptr;  // null: the job lists them

  /// @throws JobError always, at a cost's place
  [[noreturn]] void refuse(const Request& request, std::size_t number, const std::string& what) const;
};
StepCosts define_costs(const Request& request);

/// A number of each step.
std::vector<std::int64_t> define_each(const Request& request, std::int64_t steps);

}  // namespace terrace::stages
