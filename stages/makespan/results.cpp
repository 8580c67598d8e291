#include "stages/makespan/results.hpp"

#include <algorithm>

#include "stages/makespan/assignment.hpp"

namespace terrace::stages {

JobSchedule schedule_after(const MakespanPlan& plan, const SearchFindings& found,
                           const std::optional<JobSchedule>& known) {
  const SearchDefinition& definition = plan.definition();
  const TargetSearch search = plan.tables().search(found.outcomes);
  JobSchedule best;
  if (!known || search.best()) {
    best = schedule_of(definition.instance, plan.tables().rounding().jobs(search.upper()), found.configurations);
  }
  if (known && (!search.best() || known->makespan() < best.makespan())) best = *known;
  check_schedule(definition.instance, best);
  return best;
}

std::int64_t lower_bound_after(const MakespanPlan& plan, const SearchFindings& found) {
  const std::int64_t upper = plan.tables().search(found.outcomes).upper();
  std::int64_t bound = plan.definition().instance.least_makespan();
  for (const MadeTable& table : found.tables) {
    if (!table.feasible && table.target < upper) bound = std::max(bound, table.target + 1);
  }
  return bound;
}

double guarantee_of(std::int64_t makespan, std::int64_t bound) {
  return bound == 0 ? 1 : static_cast<double>(makespan) / static_cast<double>(bound);
}

TableColumns columns_of(const std::vector<MadeTable>& tables) {
  TableColumns columns;
  for (const MadeTable& table : tables) columns.dimensions = std::max(columns.dimensions, std::ssize(table.extents));
  for (const MadeTable& table : tables) {
    columns.target.push_back(table.target);
    columns.cells.push_back(table.cells);
    columns.steps.push_back(table.steps);
    columns.feasible.push_back(table.feasible ? 1 : 0);
    columns.extents.insert(columns.extents.end(), table.extents.begin(), table.extents.end());
    columns.extents.resize(columns.target.size() * static_cast<std::size_t>(columns.dimensions), 0);
  }
  return columns;
}

namespace {

void add_tables(const std::string& group, const SearchFindings& found, std::vector<io::SmallDataset>& datasets) {
  const TableColumns columns = columns_of(found.tables);
  const auto count = static_cast<std::int64_t>(found.tables.size());
  const auto add = [&]<class T>(const char* name, const Extents& shape, const std::vector<T>& values,
                                const char* meaning) {
    std::vector<std::string> names{"table"};
    if (shape.rank() == 2) names.push_back("dimension");
    datasets.push_back(io::small_dataset<T>(group + "tables/" + name, shape, std::move(names),
                                            std::span<const T>(values), "", meaning));
  };
  add("target", {count}, columns.target, "makespan that the table was made for");
  add("extents", {count, columns.dimensions}, columns.extents,
      "one more than the number of long jobs of each size, the largest size first; 0: no dimension");
  add("cells", {count}, columns.cells, "cells of the table");
  add("steps", {count}, columns.steps, "configurations of one machine");
  add("feasible", {count}, columns.feasible, "1: the long jobs, rounded down, end at the target");
}

}  // namespace

std::vector<io::SmallDataset> schedule_datasets(const std::string& group, const JobSchedule& schedule,
                                                std::int64_t bound) {
  const std::int64_t makespan = schedule.makespan();
  const double guarantee = guarantee_of(makespan, bound);
  std::vector<io::SmallDataset> datasets;
  datasets.push_back(io::small_scalar(group + "makespan", makespan, "", "end of the last job"));
  datasets.push_back(io::small_dataset<std::int64_t>(group + "assignment",
                                                     {static_cast<std::int64_t>(schedule.assignment.size())}, {"job"},
                                                     schedule.assignment, "", "machine of each job"));
  datasets.push_back(io::small_dataset<std::int64_t>(group + "load",
                                                     {static_cast<std::int64_t>(schedule.load.size())}, {"machine"},
                                                     schedule.load, "", "time of all jobs of each machine"));
  datasets.push_back(io::small_scalar(group + "lower_bound", bound, "", "no schedule has a smaller makespan"));
  datasets.push_back(io::small_scalar(group + "guarantee", guarantee, "", "makespan / lower_bound"));
  return datasets;
}

std::vector<io::SmallDataset> search_datasets(const std::string& group, const MakespanPlan& plan,
                                              const SearchFindings& found, const std::optional<JobSchedule>& known) {
  auto datasets = schedule_datasets(group, schedule_after(plan, found, known), lower_bound_after(plan, found));
  add_tables(group, found, datasets);
  return datasets;
}

}  // namespace terrace::stages
