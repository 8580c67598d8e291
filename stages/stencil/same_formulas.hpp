// The comparison of formulas of two jobs, names aside.
#pragma once

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

/// job::ProblemDeclaration::in_words_of of formulas: they mean the same if names of parameters, arrays and series,
/// blanks, line breaks and parentheses are all that differ. Names of fields are names of results, and stay.
nlohmann::json formulas_in_words_of(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace terrace::stages
