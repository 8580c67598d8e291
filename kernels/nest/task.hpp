// Descriptor and result of one block of a nest: a box of its skewed iterations.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::nest {

using device::i64;

inline constexpr int most_coordinates = 4, most_views = 16, most_parts = 64, most_results = 8;

/// A whole number, or a real one, which f64 holds exactly.
union Word {
  i64 whole;
  double real;
};

/// A box [begin, end) of an input: the element at the indices n is data[sum of (n - begin) * stride].
struct InputView {
  const void* data;
  i64 begin[most_coordinates], end[most_coordinates], stride[most_coordinates];
};

/// A part of an array that a block makes, in the array's type: what statement `statement` writes there, or what no
/// statement writes (-1).
struct Part {
  void* data;  // the element `begin`
  int array, statement;
  i64 begin[most_coordinates], end[most_coordinates], stride[most_coordinates];
};

struct NestTask {
  i64 begin[most_coordinates], end[most_coordinates];  // coordinates
  InputView inputs[most_views];
  Part parts[most_parts];
  int part_count;
  int makes_corners;  // not 0: those of arrays that no statement writes
  /// Along each coordinate the values of the statements in the last layers of the block before, and, for the block
  /// after, of this one (Sweep::face_words()); may be the same memory. Null: there is no such block.
  const Word* before[most_coordinates];
  Word* after[most_coordinates];
};

/// The reason why a cell has no value.
struct NestFailure {
  enum Kind { none, overflow, zero_divisor, no_whole, no_element, beyond_type } kind;
  int statement;             // whose value, or that asked for the element; -1: none did
  int outside;               // the array whose `outside` it is; -1: a statement's value
  int node;                  // of that formula
  i64 at[most_coordinates];  // the cell: the loops; in `outside` the element's subscripts, a loop each
  Word operands[3];          // of the node, or of beyond_type the value
};

/// The best element of an array among those that a block has made.
struct BestElement {
  Word value;
  i64 at[most_coordinates];  // subscripts
  i64 is_found;
};

struct NestResult {
  NestFailure failure;
  BestElement best[most_results];  // an array each, if it is asked for
  Word corner[most_results];
  i64 has_corner[most_results];
};

}  // namespace terrace::nest
