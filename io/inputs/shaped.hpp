// From a list of numbers to an array of the shape that a job asks for.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/inputs/numbers.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// An array of all the numbers in the list: in the setting `shape` if given, else in one dimension.
/// @param what names the list in errors @param places of the numbers, if they stand in the job; null: not known
/// @throws JobError if the shape holds another count of numbers
std::shared_ptr<Source> shaped_source(NumberList& numbers, const Settings& settings,
                                      std::vector<std::filesystem::path> files, const std::string& what,
                                      ElementPlaces places = nullptr);

}  // namespace terrace::io
