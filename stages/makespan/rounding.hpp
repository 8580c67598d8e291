// Jobs as the table of a target sees them: long ones, by rounded sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/dp_table/table.hpp"
#include "stages/makespan/instance.hpp"

namespace terrace::stages {

/// The jobs of a target T. Long jobs are those over T / k. Their times are rounded down to multiples of
/// floor(T / k^2), or not rounded if that is 0 (Hochbaum and Shmoys, "Using dual approximation algorithms for
/// scheduling problems", 1987).
struct RoundedJobs {
  std::vector<std::int64_t> sizes;              // all different, falling
  std::vector<std::vector<std::int64_t>> jobs;  // of each size, by falling time
  std::vector<std::int64_t> short_jobs;         // by falling time
  std::int64_t last = 0;                        // no target above it may have the same sizes
  /// One more than the number of jobs of each size: the extents of the table.
  Extents extents() const;
};

/// Jobs by their times, rounded for one target after another.
class Rounding {
 public:
  /// @param k of divisor_of_epsilon
  Rounding(const Instance& instance, std::int64_t k);

  RoundedJobs jobs(std::int64_t target) const;
  /// True if no job is long: short jobs always fit.
  bool all_short(std::int64_t target) const;
  std::int64_t k() const { return k_; }

  /// The size of a target's table.
  struct Size {
    std::int64_t target = 0;
    std::int64_t dimensions = 0;  // at most one more than dp_table::most_dimensions; cells are of these
    double cells = 1;             // in f64, for there may be far more than 2^63
  };
  Size size(std::int64_t target) const;
  /// Targets of [lower, upper], rising, among them all at which the sizes of jobs or their number change, and
  /// `lower`; if these are more than `most`, about `most` targets at equal distances.
  std::vector<std::int64_t> changes(std::int64_t lower, std::int64_t upper, std::size_t most) const;
  /// The table with the most cells among all targets of [lower, upper], and the most dimensions.
  struct Largest {
    Size cells, dimensions;
  };
  Largest largest(std::int64_t lower, std::int64_t upper) const;

 private:
  std::int64_t unit(std::int64_t target) const { return target / k_ / k_; }

  std::vector<std::int64_t> order_;  // jobs by falling time
  std::vector<std::int64_t> times_;  // in that order
  std::int64_t k_;
};

/// The table of rounded jobs: the least number of machines on which jobs of these sizes end at `target`.
/// @param type of its cells, which holds the values of all tables of the instance
/// @return nullopt if it has more than dp_table::most_steps steps
std::optional<dp_table::Table> table_of(const RoundedJobs& jobs, std::int64_t target, ElementType type,
                                        std::int64_t machines);

/// A table as it is made. Its dimensions may be in another order than the sizes of jobs.
struct SizedTable {
  dp_table::Table table;
  std::vector<int> sizes;  // of each dimension, the number of its size

  /// Numbers by the table's dimensions, as numbers by sizes.
  std::vector<std::int64_t> by_sizes(const std::int64_t* by_dimensions) const;
};

/// The table of table_of() with a cut.
/// @param ordered true: the dimensions that are not cut are in the order in which CUDA makes the table in the least
/// time; else dimensions are in the order of sizes
std::optional<SizedTable> sized_table(const RoundedJobs& jobs, std::int64_t target, ElementType type,
                                      std::int64_t machines, const dp_table::Cut& cut, bool ordered);

/// The type of the cells of all tables: u8, where larger values become machines + 1, if that is below the largest
/// value, else the narrowest that holds the number of jobs.
ElementType cell_type(const Instance& instance);

}  // namespace terrace::stages
