// Nests that sweep a grid in place: each cell inside the rim of a grid becomes a formula of the 3 x 3 cells around
// and at it, row by row, those above it and to its left already new.
#pragma once

#include <string>

#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// The sweeps that a nest is.
struct Swept {
  std::string unfit;  // why it is none; empty: it is, and what follows is set
  i64 rows = 0, columns = 0, sweeps = 0;
  bool corners = false;   // true if the cell reads its diagonal neighbours
  double operations = 0;  // of a cell
  /// The struct `Written` with the cell as a problem of the family in_place, for its namespace
  /// (in_place::WrittenCell).
  std::string cell;
};

/// Recognises sweeps: one statement that writes an array in place of i32, f32 or f64 with two axes, all of it but its
/// rim; the elements before come from an input; reads are those of the 3 x 3 cells; every cell has a value; `last` is
/// kept.
Swept swept(const NestSpec& spec);

}  // namespace terrace::nest
