// What stages refuse to plan.
#pragma once

#include <cstdint>
#include <string>

#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Throws a JobError at the place where the job gives the parameter, or else where it names the stage.
[[noreturn]] void refuse(const job::Stage& stage, const std::string& parameter, const std::string& what);

/// Throws the JobError that names the least budgets.
/// @param least bytes that the smallest block needs where it is computed; @param workspace beside it
[[noreturn]] void refuse_budgets(const Resources& resources, std::int64_t least, std::int64_t workspace);

}  // namespace terrace::stages
