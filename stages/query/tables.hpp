// The tables that the stage `query` reads.
#pragma once

#include <memory>
#include <string>

#include "stages/query/pairs.hpp"
#include "stages/recursive/weights.hpp"

namespace terrace::stages {

/// A table of distances, and the rules by which it is read.
struct OpenTable {
  std::shared_ptr<io::Source> matrix;
  WeightRules rules;
};

/// The table of a step. @throws JobError if it is neither square nor one of sources
OpenTable open_table(const Request& request);

/// The key by which a step names the table of paths; empty: it names none.
std::string path_key(const Settings& settings);

/// The table of paths of a step. @throws JobError if it does not fit the table of distances
PathTable open_paths(const Request& request, const io::Source& matrix);

}  // namespace terrace::stages
