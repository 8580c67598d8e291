// The results of a search as datasets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "stages/makespan/tally.hpp"

namespace terrace::stages {

/// Tables as the result lists them: a value of each.
struct TableColumns {
  std::vector<std::int64_t> target, cells, steps;
  std::vector<std::uint8_t> feasible;
  std::int64_t dimensions = 0;        // of the table that has most
  std::vector<std::int64_t> extents;  // tables x dimensions; 0: no dimension
};
TableColumns columns_of(const std::vector<MadeTable>& tables);

/// The best schedule that is known after a search: of the table at its end, or `known`.
/// @throws ComputeError if it is none
JobSchedule schedule_after(const MakespanPlan& plan, const SearchFindings& found,
                           const std::optional<JobSchedule>& known);

/// The least makespan that is proved after a search.
std::int64_t lower_bound_after(const MakespanPlan& plan, const SearchFindings& found);

/// The schedule with what is proved of it. @param group of the stage, "/name/"
std::vector<io::SmallDataset> schedule_datasets(const std::string& group, const JobSchedule& schedule,
                                                std::int64_t bound);

/// The same, and the tables. @param group of the stage, "/name/"
std::vector<io::SmallDataset> search_datasets(const std::string& group, const MakespanPlan& plan,
                                              const SearchFindings& found, const std::optional<JobSchedule>& known);

/// makespan / bound; 1 if both are 0.
double guarantee_of(std::int64_t makespan, std::int64_t bound);

}  // namespace terrace::stages
