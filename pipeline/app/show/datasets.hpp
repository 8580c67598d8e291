// The datasets of a result, for people.
#pragma once

#include <string>

#include "io/results/reader.hpp"

namespace terrace::app {

/// "/align" of "/align/table".
std::string group_of(const std::string& path);
/// "table" of "/align/table".
std::string name_of(const std::string& path);

/// True if a description gives all values of the dataset: at most six.
bool is_small(const io::DatasetSummary& dataset);

/// The values of a dataset of at most six values, or as many letters of them as fit a line; else empty.
std::string values_of(const io::ResultReader& reader, const io::DatasetSummary& dataset);

/// "letters of rows and columns", with the unit if there is one.
std::string meaning_of(const io::DatasetSummary& dataset);

/// "16299 x 16571", or "one value".
std::string shape_of(const io::DatasetSummary& dataset);

/// True if the dataset is the program's own: of the profile, or a table of checksums.
bool is_bookkeeping(const io::DatasetSummary& dataset);

}  // namespace terrace::app
