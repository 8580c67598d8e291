// The named schedules of kernel tiles, and the comparisons of differential tests.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "kernels/wavefront/report.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront::testing {

/// All names but `auto` and `registers`.
inline std::vector<std::string> tile_schedules() {
  std::vector<std::string> tiles;
  std::istringstream names(schedule_names());
  for (std::string name; std::getline(names >> std::ws, name, ',');) {
    if (schedule_from(name)->storage != Schedule::Storage::registers) tiles.push_back(name);
  }
  return tiles;
}

/// The result of a sweep for the whole table.
template <class P>
BlockResult total(const std::vector<BlockResult>& results, const SweepSpec& spec) {
  BlockResult total = border_report<P>(problem_constants<P>(spec.settings), spec.rows, spec.columns);
  for (const BlockResult& result : results) add_report<P>(result, &result == &results.back(), total);
  return total;
}

}  // namespace terrace::wavefront::testing
