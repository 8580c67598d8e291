// The analysis of a nest before it is computed, as lines of text.
#pragma once

#include <string>
#include <vector>

#include "stages/nest/definition.hpp"

namespace terrace::stages {

/// The skew, dependences, types and bounds, a line each. @param how it is computed, after the skew
std::vector<std::string> nest_analysis(const NestDefinition& definition, const std::string& how);

}  // namespace terrace::stages
