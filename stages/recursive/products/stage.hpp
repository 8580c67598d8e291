// Products as a part of the stage `recursive`.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/recursive/weights.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job that names a product. @throws JobError
std::unique_ptr<run::Stage> make_product(const Request& request);

/// Rules for the elements of a matrix of a product. @param parameter that names it: left, right or accumulate
WeightRules factor_rules(const job::Stage& stage, const std::string& parameter);

/// The type in which such elements are read, of a product of that type: u8 where they are 0 and 1.
ElementType element_type(ElementType product, const WeightRules& rules);

}  // namespace terrace::stages
