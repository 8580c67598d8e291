// From a list of numbers to an array of the shape that a job asks for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/inputs/numbers.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// The setting `shape` of so many values; one dimension if it is not given. @param what has them, for errors
/// @throws JobError if the shape holds another count of values
Extents shape_of_values(const Settings& settings, std::int64_t count, const std::string& what);

/// An array of all the numbers in the list: in the setting `shape` if given, else in one dimension.
/// @param what names the list in errors @param places of the numbers, if they stand in the job; null: not known
/// @throws JobError if the shape holds another count of numbers
std::shared_ptr<Source> shaped_source(NumberList& numbers, const Settings& settings,
                                      std::vector<std::filesystem::path> files, const std::string& what,
                                      ElementPlaces places = nullptr);

}  // namespace terrace::io
