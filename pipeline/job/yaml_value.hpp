// From a node to the checked value of a declared parameter.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "pipeline/base/parameter.hpp"
#include "pipeline/base/settings.hpp"
#include "pipeline/job/yaml_errors.hpp"
#include "pipeline/job/yaml_node.hpp"

namespace terrace::job {

/// Context for checking the current job.
struct CheckContext {
  Complaints& complaints;
  Complaints& warnings;                  // valid settings that are probably not intended
  std::filesystem::path job_folder;      // base of relative paths in the file; absolute
  std::filesystem::path current_folder;  // base of relative paths on the command line; absolute
};

/// The value of `parameter` in `node`, or nullopt; errors become complaints. Paths are returned
/// absolute.
std::optional<Value> read_value(const Parameter& parameter, const Node& node, CheckContext& context);

/// "a whole number of at least 1", "one of score, table", "true or false", ...: completes "'key' takes".
std::string expected(const Parameter& parameter);

/// "the list", "'abc'", "nothing", ...: completes "..., not".
std::string describe(const Node& node);

}  // namespace terrace::job
