// Numbers of arrays that are read while a stage is planned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The whole numbers of a parameter's array, row-major. @throws JobError that names the element that is none, or is
/// less than `least`, and its place in a file
std::vector<std::int64_t> read_whole_numbers(const Request& request, const std::string& parameter, io::Source& source,
                                             std::int64_t least);

/// The numbers of a parameter's array in the fewest digits that give them back. @throws JobError that names the
/// element that is not finite
std::vector<std::string> read_numbers_as_text(const Request& request, const std::string& parameter,
                                              io::Source& source);

/// The index of element `number` in row-major order.
Extents index_of_element(const Extents& shape, std::int64_t number);

}  // namespace terrace::stages
