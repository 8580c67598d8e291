// Algorithm 2 of Ghalami and Grosu (2018), for comparison.
#pragma once

#include <cstdint>
#include <vector>

namespace terrace::dp_table {

/// OPT of every cell in row-major order: the least number of configurations, of a total weight of at most `at_most`,
/// that add up to it; -1: none does. Every cell is tested at every level; the configurations of a cell are made for
/// it; OPT(v - s) is found by its row-major index.
std::vector<std::int32_t> run_levels(const std::vector<std::int64_t>& extents,
                                     const std::vector<std::int64_t>& weights, std::int64_t at_most, int threads);

}  // namespace terrace::dp_table
