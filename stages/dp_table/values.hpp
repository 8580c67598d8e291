// The values of a finished table, as datasets and in warnings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "stages/dp_table/definition.hpp"

namespace terrace::stages {

struct TableValues {
  std::int64_t last = 0;  // value of the last cell, for integers
  double last_real = 0;
  std::int64_t best = 0;  // the largest value of a cell, of max, for integers
  double best_real = 0;
  Extents best_cell;  // the first cell with it; no dimension: none is known
};

/// The small datasets of a stage. @param solution numbers of steps, which is written if the solution is kept
std::vector<io::SmallDataset> value_datasets(const std::string& stage, const TableDefinition& definition,
                                             const TableValues& values, const std::vector<std::int32_t>& solution);

/// Warnings about results that are correct but hardly intended.
/// @param type the place of the type in the job
std::vector<std::string> value_warnings(const std::string& stage, const Place& type,
                                        const TableDefinition& definition, const TableValues& values);

}  // namespace terrace::stages
