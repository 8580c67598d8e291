// A table's steps as kernels read them: offsets, packed components, sources.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "kernels/dp_table/table.hpp"

namespace terrace::dp_table {

/// Indices of the dimensions that a tile does not cut into single ones, packed into two words: each has its bits and
/// a guard bit above them, so that one subtraction compares all of a word.
struct Packed {
  u64 word[2] = {0, 0};

  /// True if `step` is at most this one in every component. @param guards the guard bits
  bool at_least(const Packed& step, const Packed& guards) const {
    return (((word[0] | guards.word[0]) - step.word[0]) & guards.word[0]) == guards.word[0] &&
           (((word[1] | guards.word[1]) - step.word[1]) & guards.word[1]) == guards.word[1];
  }
};

/// The place of a dimension's bits.
struct PackedField {
  int word = 0, shift = 0;
};

/// A step as kernels use it.
struct StepEntry {
  Packed packed;        // components of the dimensions from `whole` on
  std::int64_t offset;  // cells from a cell back to the one where the step leads, within row-major rows
  std::int64_t rows;    // component of the dimension that is cut into rows
  std::int32_t source;
  std::int32_t number;  // in the job
  std::int64_t whole_cost;
  double real_cost;
};

/// Steps that fit the table, sorted by source, then by offset, then by number.
struct StepTable {
  int whole = 0;                    // dimensions cut into single indices
  std::vector<PackedField> fields;  // of the dimensions from `whole` on
  Packed guards;
  std::vector<StepEntry> entries;
  std::vector<SourceRange> sources;
  std::vector<std::int64_t> begin;  // of each source's entries, and the end of the last one's
  bool one_cost = true;             // true if all entries have the same cost
  std::int64_t whole_cost = 0;      // that cost
  double real_cost = 0;

  /// @throws Error if the indices need more bits than two words have
  explicit StepTable(const Table& table);
  /// The packed form of a cell. @param index of the dimensions from `whole` on
  template <class Integer>
  Packed pack(const Integer* index) const {
    Packed packed;
    for (std::size_t d = 0; d < fields.size(); ++d) {
      packed.word[fields[d].word] |= static_cast<u64>(index[d]) << fields[d].shift;
    }
    return packed;
  }
};

/// All steps that fit the table, if one is not needed for a cell where a longer one leads, too: cells of smaller
/// indices are never worse, all steps have the same cost, and what is less than a step is a step. Else none. Choices
/// do need them.
std::set<std::vector<i64>> closed_steps(const Table& table, const StepTable& steps);

}  // namespace terrace::dp_table
