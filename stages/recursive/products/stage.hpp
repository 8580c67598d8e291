// Products as a part of the stage `recursive`.
#pragma once

#include <memory>

#include "pipeline/run/stage.hpp"
#include "stages/recursive/weights.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Plans a step of a job that names a product. @throws JobError
std::unique_ptr<run::Stage> make_product(const Request& request);

/// Rules for the elements of a factor of a product in that algebra. @param label of the matrix, for errors
WeightRules factor_rules(io::DataLabel label, const std::string& semiring);

}  // namespace terrace::stages
