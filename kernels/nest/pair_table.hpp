// Nests that are tables of two sequences or series: each element is a formula of its neighbours above, on the left
// and before both, and of a score of an item of its row and one of its column.
#pragma once

#include <string>

#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// An item of a row or a column: element `loop number + offset` of an input.
struct PairItem {
  int input = -1;
  i64 offset = 0;
};

/// The table that a nest is.
struct PairTable {
  std::string unfit;  // why it is none; empty: it is, and what follows is set
  PairItem row, column;
  bool has_values = false;  // items and elements are of f32; else items are of u8, and elements whole numbers
  /// The struct `Written` with cell and borders as a problem of the family wavefront, for its namespace
  /// (wavefront::WrittenSweep).
  std::string problem;
};

/// Recognises tables: two loops that no skew changes, one statement, one table whose other elements `outside` gives
/// by their subscripts; every value is there, and whole ones are within i32; `last` or `corner` are kept, and no
/// more.
PairTable pair_table(const NestSpec& spec);

}  // namespace terrace::nest
