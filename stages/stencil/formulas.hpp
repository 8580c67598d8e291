// The cells of a stencil that a job writes as formulas.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/stencil/write.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::stages {

/// The formulas of a stage and what their names mean. @param fields in the order of the job
/// @throws JobError if a field has no formula, a formula no field, or a parameter is no number
stencil::WrittenText formulas_of(const job::Stage& stage, const std::vector<std::string>& fields);

/// The same, parsed and checked. @param spec as stencil::write() takes it
/// @throws JobError at the place of the fault inside the formula
std::shared_ptr<const stencil::Written> written_formulas(const job::Stage& stage, const stencil::WrittenText& text,
                                                         const stencil::StencilSpec& spec);

}  // namespace terrace::stages
