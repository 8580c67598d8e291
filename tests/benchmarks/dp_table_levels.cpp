#include "tests/benchmarks/dp_table_levels.hpp"

#include <limits>

namespace terrace::dp_table {

std::vector<std::int32_t> run_levels(const std::vector<std::int64_t>& extents,
                                     const std::vector<std::int64_t>& weights, std::int64_t at_most, int threads) {
  const int rank = static_cast<int>(extents.size());
  std::int64_t cells = 1;
  std::vector<std::int64_t> strides(extents.size());
  for (int d = rank - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = cells;
    cells *= extents[static_cast<std::size_t>(d)];
  }
  std::vector<std::int32_t> level(static_cast<std::size_t>(cells)), opt(static_cast<std::size_t>(cells), -1);
  std::int32_t last = 0;
  for (const std::int64_t extent : extents) last += static_cast<std::int32_t>(extent - 1);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < cells; ++i) {
    std::int64_t rest = i;
    std::int32_t sum = 0;
    for (int d = 0; d < rank; ++d) {
      sum += static_cast<std::int32_t>(rest / strides[static_cast<std::size_t>(d)]);
      rest %= strides[static_cast<std::size_t>(d)];
    }
    level[static_cast<std::size_t>(i)] = sum;
  }
  opt[0] = 0;
  for (std::int32_t now = 1; now <= last; ++now) {
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads)
    for (std::int64_t i = 0; i < cells; ++i) {
      if (level[static_cast<std::size_t>(i)] != now) continue;
      std::int64_t v[32], s[32] = {}, rest = i, weight = 0, index = i;
      for (int d = 0; d < rank; ++d) {
        v[d] = rest / strides[static_cast<std::size_t>(d)];
        rest %= strides[static_cast<std::size_t>(d)];
      }
      std::int32_t least = std::numeric_limits<std::int32_t>::max();
      // The configurations s <= v in lexicographic order.
      while (true) {
        int d = rank - 1;
        for (; d >= 0; --d) {
          const std::int64_t each = weights[static_cast<std::size_t>(d)],
                             stride = strides[static_cast<std::size_t>(d)];
          if (s[d] < v[d] && weight + each <= at_most) {
            ++s[d], weight += each, index -= stride;
            break;
          }
          weight -= s[d] * each, index += s[d] * stride, s[d] = 0;
        }
        if (d < 0) break;
        const std::int32_t found = opt[static_cast<std::size_t>(index)];
        if (found >= 0 && found < least) least = found;
      }
      if (least != std::numeric_limits<std::int32_t>::max()) opt[static_cast<std::size_t>(i)] = least + 1;
    }
  }
  return opt;
}

}  // namespace terrace::dp_table
