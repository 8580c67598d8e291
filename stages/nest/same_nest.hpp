// The comparison of the nests of two jobs, names aside.
#pragma once

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

/// job::StageDeclaration::in_words_of of nests: they mean the same if names of loops, parameters and inputs, numbers
/// that parameters name, bounds that come to the same number, blanks, line breaks and parentheses are all that
/// differ. Names of arrays are names of results, and stay.
nlohmann::json nest_in_words_of(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace terrace::stages
