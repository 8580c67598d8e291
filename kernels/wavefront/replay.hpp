// The score of a path, computed from its steps alone: a check of the way back through a table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kernels/wavefront/task.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::wavefront {

/// Steps of one kind in a row: '=' and 'X' consume an item of each side, 'I' one of the rows, 'D' one of the columns.
struct PathRun {
  char step;
  std::int64_t count;
};

/// A side's items as the sweep reads them: copies items [first, first + count) to `items`.
using ReadItems = std::function<void(std::int64_t first, std::int64_t count, void* items)>;

/// A path through a table of a problem whose paths can be followed.
struct FollowedPath {
  std::string problem;
  Settings settings;                     // the problem's parameters, checked
  ElementType value = ElementType::i64;  // of values: the type of their costs
  std::int64_t rows = 0, columns = 0;    // of the table
  std::int64_t row = 0, column = 0;      // items consumed before the first step
  std::span<const PathRun> runs;         // from the last step to the first
  ReadItems read_rows, read_columns;
};

/// The end of the path and its score, equal to the value of the table's last cell on it: integers unchanged, for
/// costs the bits of the f64. Linear in the length of the path. Costs are added in the order in which cells are
/// computed, so they are equal to the bit.
/// @throws ComputeError if steps leave the table, '=' and 'X' do not agree with the letters, or the path begins
/// neither at the table's border nor, for a local alignment, where it may
BlockResult replay(const FollowedPath& path);

}  // namespace terrace::wavefront
