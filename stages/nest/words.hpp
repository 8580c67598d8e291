// The texts of a nest before anything of its inputs is known: names that they use, and the results that they make.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/base/settings.hpp"

namespace terrace::stages {

/// Adds the inputs of the job that formulas name to the setting `inputs`.
void find_inputs_of_nest(Settings& settings, const std::function<bool(const std::string&)>& is_input);

/// The setting that holds a statement: "cells[0]", or "cells[0].do".
std::string setting_of_statement(const Settings& settings, std::int64_t number);

/// True if the array is one in place: statements write it with fewer subscripts than there are loops.
bool is_in_place(const Settings& settings, const std::string& array);

/// The array's dataset of a word of `keep`: "A", "D_last", "D", "D_corner".
std::string dataset_of(const Settings& settings, const std::string& array, const std::string& keep);

/// The names of the datasets of a word of `keep`, an array each that keeps it.
std::vector<std::string> datasets_of(const Settings& settings, const std::string& keep);

/// The names of arrays of which the best element is kept, each with a suffix.
std::vector<std::string> best_datasets_of(const Settings& settings, const std::string& suffix);

}  // namespace terrace::stages
