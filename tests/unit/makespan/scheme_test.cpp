// The whole scheme with plain tables, on instances whose optima are known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include "stages/makespan/assignment.hpp"
#include "stages/makespan/epsilon.hpp"
#include "stages/makespan/search.hpp"

namespace terrace::stages {
namespace {

constexpr double most_cells = 2e5;  // of a plain table here

/// Machines of each cell of the table, and the steps back, by a loop over all cells and steps.
struct PlainTable {
  dp_table::Table table;
  std::vector<std::int64_t> machines, choice;
  Extents strides;

  explicit PlainTable(dp_table::Table given) : table(std::move(given)), strides(row_major_strides(table.extents)) {
    const std::int64_t cells = volume(table.extents);
    machines.assign(static_cast<std::size_t>(cells), cells);
    choice.assign(static_cast<std::size_t>(cells), -1);
    machines[0] = 0;
    for (std::int64_t cell = 1; cell < cells; ++cell) {
      for (std::int64_t step = 0; step < table.steps.count(); ++step) {
        const std::int64_t from = back(cell, step);
        if (from < 0 || machines[static_cast<std::size_t>(from)] >= machines[static_cast<std::size_t>(cell)] - 1)
          continue;
        machines[static_cast<std::size_t>(cell)] = machines[static_cast<std::size_t>(from)] + 1;
        choice[static_cast<std::size_t>(cell)] = step;
      }
    }
  }

  /// The cell where a step leads back to; -1: out of the table.
  std::int64_t back(std::int64_t cell, std::int64_t step) const {
    std::int64_t from = cell;
    for (int d = 0; d < strides.rank(); ++d) {
      const std::int64_t component = table.steps.step(step)[d];
      if (cell / strides[d] % table.extents[d] < component) return -1;
      from -= component * strides[d];
    }
    return from;
  }

  std::vector<std::vector<std::int64_t>> configurations() const {
    std::vector<std::vector<std::int64_t>> found;
    for (std::int64_t cell = volume(table.extents) - 1; cell > 0;) {
      const std::int64_t step = choice[static_cast<std::size_t>(cell)];
      found.emplace_back(table.steps.step(step), table.steps.step(step) + table.extents.rank());
      cell = back(cell, step);
    }
    return found;
  }
};

/// The schedule of the scheme; no jobs if a table is too large here.
JobSchedule scheme(const Instance& instance, double epsilon) {
  const Rounding rounding(instance, divisor_of_epsilon(epsilon));
  TargetSearch search(instance.least_makespan(), instance.most_makespan(), 4);
  const auto largest = rounding.largest(search.lower(), search.upper());
  if (largest.cells.cells > most_cells || largest.dimensions.dimensions > 32) return {};
  const auto table = [&](std::int64_t target) {
    return PlainTable(*table_of(rounding.jobs(target), target, cell_type(instance), instance.machines));
  };
  while (!search.done()) {
    std::int64_t first = 0;
    for (const std::int64_t target : search.targets()) {
      if (rounding.all_short(target) || table(target).machines.back() <= instance.machines) break;
      ++first;
    }
    search.advance(first);
  }
  const std::int64_t target = search.upper();
  const RoundedJobs jobs = rounding.jobs(target);
  JobSchedule schedule = schedule_of(
      instance, jobs, jobs.sizes.empty() ? std::vector<std::vector<std::int64_t>>{} : table(target).configurations());
  check_schedule(instance, schedule);
  return schedule;
}

/// The least makespan by trying all assignments, of few jobs.
std::int64_t least(const Instance& instance, std::vector<std::int64_t>& load, std::size_t job, std::int64_t best) {
  if (job == instance.times.size()) return std::min(best, *std::max_element(load.begin(), load.end()));
  for (std::int64_t& machine : load) {
    machine += instance.times[job];
    if (machine < best) best = least(instance, load, job + 1, best);
    machine -= instance.times[job];
    if (machine == 0) break;
  }
  return best;
}

struct Known {
  const char* file;
  std::int64_t optimum;  // or the upper end of its bracket
};
constexpr Known known[] = {{"m10", 30},
                           {"m25", 3458},
                           {"m50n200", 977},
                           {"m50n1000", 9763},
                           {"PCMAX_NU_1_0500_25_6", 1881},
                           {"PCMAX_NU_1_1000_25_7", 3760},
                           {"PCMAX_NU_2_0500_25_1", 18770},
                           {"PCMAX_NU_2_1000_25_3", 37661},
                           {"PCMAX_NU_3_0010_05_9", 19014},
                           {"PCMAX_NU_3_0050_10_4", 47077},
                           {"PCMAX_NU_3_0500_25_1", 189524},
                           {"PCMAX_U_1_0010_05_3", 125},
                           {"PCMAX_U_1_0050_25_8", 97},
                           {"PCMAX_U_1_0100_25_1", 195},
                           {"PCMAX_U_2_0050_25_8", 1004},
                           {"PCMAX_U_2_0100_25_4", 1794},
                           {"PCMAX_U_3_0100_25_1", 17206}};

Instance read_instance(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::int64_t jobs = 0;
  Instance instance;
  stream >> instance.machines >> jobs;
  instance.times.resize(static_cast<std::size_t>(jobs));
  for (std::int64_t& time : instance.times) stream >> time;
  REQUIRE(stream);
  return instance;
}

}  // namespace

TEST_CASE("schedules of few jobs are within epsilon of the best ones") {
  std::mt19937_64 random(5);
  for (int n = 0; n < 150; ++n) {
    Instance instance;
    instance.machines = static_cast<std::int64_t>(1 + random() % 4);
    const auto longest = 1 + random() % 60;
    for (std::size_t job = 0; job < 1 + random() % 9; ++job) {
      instance.times.push_back(static_cast<std::int64_t>(random() % (longest + 1)));
    }
    std::vector<std::int64_t> load(static_cast<std::size_t>(instance.machines));
    const std::int64_t optimum = least(instance, load, 0, instance.most_makespan() + 1);
    for (const double epsilon : {1.0, 0.5, 0.3, 0.2, 0.1}) {
      const JobSchedule schedule = scheme(instance, epsilon);
      REQUIRE(schedule.assignment.size() == instance.times.size());
      CHECK(static_cast<double>(schedule.makespan()) <= (1 + epsilon) * static_cast<double>(optimum) + 1e-9);
      CHECK(schedule.makespan() >= optimum);
    }
  }
}

TEST_CASE("schedules of published instances are within epsilon of their optima") {
  const char* named = std::getenv("TERRACE_TEST_DATA");
  const std::filesystem::path folder = std::filesystem::path(named ? named : "") / "scheduling";
  if (named == nullptr || !std::filesystem::is_directory(folder)) {
    std::cout << "SKIPPED: no test data; name their folder in TERRACE_TEST_DATA\n";
    return;
  }
  int solved = 0;
  for (const Known& instance : known) {
    const Instance read = read_instance(folder / (std::string(instance.file) + ".txt"));
    for (const double epsilon : {0.5, 0.3}) {
      CAPTURE(instance.file, epsilon);
      const JobSchedule schedule = scheme(read, epsilon);
      if (schedule.assignment.empty()) continue;
      ++solved;
      CHECK(static_cast<double>(schedule.makespan()) <= (1 + epsilon) * static_cast<double>(instance.optimum));
    }
  }
  CHECK(solved >= 17);
}

}  // namespace terrace::stages
