// Blocks of pairs as kernels and results take them.
#pragma once

#include <cstdint>

#include "kernels/pairs/kept.hpp"
#include "pipeline/base/box.hpp"
#include "stages/wavefront/pairs/sides.hpp"

namespace terrace::stages {

/// The items of a block.
struct PairsBlock {
  std::int64_t row_begin, row_end, column_begin, column_end;
};

/// Values of an end: letters of both sides.
inline constexpr std::int64_t end_values = 2;

/// Where element 0 of a side's array would be if the elements of item `first` and those after it lie at `data`:
/// kernels count elements from there.
const void* origin_of_items(const void* data, const PairSide& side, std::int64_t first);

/// Begins of items, from item `first` on, in the integers of kernels.
const pairs::i64* begins_of_items(const PairSide& side, std::int64_t first);

/// The items of a rectangle; elements, scores and ends are not set.
pairs::PairsTask pairs_task(const PairSides& sides, const PairsBlock& block);

/// The shape of so many rows x columns in a result with `values` values a pair: single sides have no axis, nor has a
/// single value.
Extents shape_of_pairs(const PairSides& sides, std::int64_t rows, std::int64_t columns, std::int64_t values);
/// The shape of a list of so many entries.
Extents shape_of_entries(std::int64_t entries, std::int64_t values);
/// The shape of the best hits of so many rows.
Extents shape_of_hits(const PairSides& sides, std::int64_t rows, std::int64_t best);
/// The part of a block in such a result.
Box box_of_pairs(const PairSides& sides, const PairsBlock& block, std::int64_t values);

}  // namespace terrace::stages
