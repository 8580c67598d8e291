// The comparison of formulas of two jobs' graphs, names aside.
#pragma once

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

/// job::StageDeclaration::in_words_of of graphs: formulas mean the same if names of operands, blanks, parentheses and
/// how numbers are written are all that differ.
nlohmann::json node_formulas_in_words_of(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace terrace::stages
