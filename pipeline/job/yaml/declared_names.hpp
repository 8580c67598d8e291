// Names of declarations and of the settings that they declare: `cells.*` and `cells.u`, `receivers[].at` and
// `receivers[3].at`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/parameter.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::job {

/// A name that users choose: letters, digits and _, with no digit first.
bool is_identifier(std::string_view name);

/// True if a declared name stands for more than one setting.
bool is_pattern(std::string_view declared);

/// The declared name of the map or list that holds a declared name: "arrays.*" of "arrays.*.type", "cells" of
/// "cells.*" and of "cells[]"; empty at the top.
std::string_view parent_of(std::string_view declared);

/// True if a declared name stands for what is at each name of `names`, or for each of `items`.
bool is_chosen(std::string_view declared);

/// True if `declared` declares `setting`.
bool declares(std::string_view declared, std::string_view setting);

/// The parameter that declares a setting; null if none does.
const Parameter* find_parameter(const std::vector<Parameter>& parameters, std::string_view setting);

/// The names of all settings that a declared name stands for, in the order of the job, given or not: one for each of
/// the names and items of `settings`.
std::vector<std::string> settings_of(std::string_view declared, const Settings& settings);

/// The words of a list as declarations write it: "affine, linear".
std::vector<std::string> split_words(std::string_view words);

}  // namespace terrace::job
