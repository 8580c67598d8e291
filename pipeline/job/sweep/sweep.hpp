// The key `sweep` of a job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/json_library.hpp"
#include "pipeline/job/batch.hpp"
#include "pipeline/job/yaml/node.hpp"
#include "pipeline/job/yaml/value.hpp"

namespace terrace::job {

/// A name of `sweep` and its values: a list, or a pattern of files.
struct SweepName {
  std::string name;
  Position position;             // of its value
  std::string pattern;           // empty: a list
  std::vector<SweepValue> list;  // of a list
};

struct Sweep {
  std::vector<SweepName> names;
  bool zip = false;
  Position zip_position;
};

/// Reads the node of `sweep`, without looking up patterns; errors become complaints.
Sweep read_sweep(const Node& node, Complaints& complaints);

/// The names and values as the job writes them.
nlohmann::json definition_of(const Sweep& sweep);

/// The values of all tasks: patterns are looked up. A pattern that matches nothing, too many tasks, and lists of
/// different lengths where `zip` is true are complaints; then there are none.
std::vector<TaskValues> tasks_of(const Sweep& sweep, CheckContext& context);

}  // namespace terrace::job
