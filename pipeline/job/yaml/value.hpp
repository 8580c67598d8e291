// From a node to the checked value of a declared parameter.
#pragma once

#include <optional>

#include "pipeline/base/parameter.hpp"
#include "pipeline/base/settings.hpp"
#include "pipeline/job/yaml/node.hpp"
#include "pipeline/job/yaml/reader.hpp"

namespace terrace::job {

/// The value of `parameter` in `node`, or nullopt; errors become complaints. Paths are returned
/// absolute.
std::optional<Value> read_value(const Parameter& parameter, const Node& node, CheckContext& context);

}  // namespace terrace::job
