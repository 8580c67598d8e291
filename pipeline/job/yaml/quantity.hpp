// Values that are a number or the name of an array.
#pragma once

#include <optional>
#include <string_view>

#include "pipeline/job/yaml/reader.hpp"

namespace terrace::job {

/// The value of a parameter of kind `quantity`, a double or the array's name; nullopt after a complaint.
std::optional<Value> read_quantity(const Parameter& parameter, const Node& node, CheckContext& context);

/// True for NaN and infinities as people and programs write them.
bool is_not_finite(std::string_view text);

/// True if a text is a number, or was probably meant to be one: 1,5 or 1e999 or 0x10. @param text not empty
bool is_like_number(std::string_view text);

/// The value of a parameter of kind `quantities`: a text an entry, numbers as they are written; nullopt after a
/// complaint. One entry in place of a list is a list of one.
std::optional<Value> read_quantities(const Parameter& parameter, const Node& node, CheckContext& context);

}  // namespace terrace::job
