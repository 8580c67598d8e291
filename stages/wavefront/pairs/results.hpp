// Datasets of pairs of sets: names, dimensions, and names of items.
#pragma once

#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "stages/wavefront/pairs/definition.hpp"

namespace terrace::stages {

/// A result array of the plan. @param stage its name
io::DatasetSpec pairs_dataset(const std::string& stage, const std::string& array, const PairsDefinition& definition);

/// Of each set the names of its items, along the axis of that name; of each side the lengths of its items; the pairs
/// that the job lists.
std::vector<io::SmallDataset> small_results(const std::string& stage, const PairsDefinition& definition);

}  // namespace terrace::stages
