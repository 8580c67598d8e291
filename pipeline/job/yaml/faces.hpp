// Values for the sides of the axes of a grid.
#pragma once

#include <optional>
#include <string>

#include "pipeline/job/yaml/reader.hpp"

namespace terrace::job {

/// The value of a parameter of kind `faces` (see `Value`); nullopt after a complaint. Two equal sides of an axis are
/// written once. A number is written with the fewest digits that give it.
std::optional<Value> read_faces(const Parameter& parameter, const Node& node, CheckContext& context);

/// "one of fixed, edge or {value: NUMBER}": one face.
std::string faces_in_words(const Parameter& parameter);
/// ", or a list with one for each axis, such as ...": all that may stand in place of one face.
std::string lists_of_faces_in_words(const Parameter& parameter);

}  // namespace terrace::job
