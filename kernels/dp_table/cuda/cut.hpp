// Numbers of sub-blocks and lines by their levels.
#pragma once

#include <vector>

#include "kernels/dp_table/cuda/plan.hpp"

namespace terrace::dp_table {

i64 quotient_up(i64 a, i64 b);
i64 product(const std::vector<i64>& numbers);
/// Number of index vectors within `counts` by their sum.
std::vector<double> levels_of(const std::vector<i64>& counts);
/// Parts of that shape, in each dimension.
std::vector<i64> counts_of(const std::vector<i64>& extents, const std::vector<i64>& shape);
/// Lines of a sub-block, in each dimension.
std::vector<i64> lines_of(const TileCut& cut);

}  // namespace terrace::dp_table
