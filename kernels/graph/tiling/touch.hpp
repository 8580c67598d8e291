// The memory that launches read and write, row by row.
#pragma once

#include <vector>

#include "kernels/graph/graph.hpp"

namespace terrace::graph {

/// The rows of an array that rows of a launch touch: rows [i, j) touch [i + low, j + high), or what the operator of a
/// node reads of an operand. They may lie outside of the array, where the boundary says which are touched instead.
struct RowReach {
  i64 low = 0, high = 0;
  const Graph* graph = nullptr;  // of the node
  const Node* node = nullptr;
  int operand = 0;
  i64 extent = most_extent;  // rows of the array
  Boundary boundary = Boundary::value;
  Range held = {0, most_extent};  // rows of the array in this memory
  Range always = {};              // if not empty: any rows touch these, and no others

  Range of(Range rows) const;

  friend bool operator==(const RowReach&, const RowReach&) = default;
};

/// Memory that a launch reads or writes.
struct Touch {
  i64 row_zero = 0;           // address of the array's row 0, if it were there
  i64 stride = 0, bytes = 0;  // from row to row; of a row that are touched
  i64 memory = 0;             // address of the piece of memory; values that follow one another there have the same
  bool writes = false;
  RowReach reach = {};

  friend bool operator==(const Touch&, const Touch&) = default;
};

/// A launch whose rows may be made one after another, in ascending order.
struct TileStep {
  Range rows;
  std::vector<Touch> touches;

  friend bool operator==(const TileStep&, const TileStep&) = default;
};

/// Addresses [begin, end).
struct Bytes {
  i64 begin = 0, end = 0;

  i64 size() const { return end - begin; }
  bool meets(const Bytes& other) const { return begin < other.end && other.begin < end; }
  bool holds(const Bytes& other) const { return begin <= other.begin && other.end <= end; }
};

/// A touch by rows that are made in ascending order: the memory of all rows up to one, and from one on.
class RowTouch {
 public:
  /// @param rows of the launch
  RowTouch(const Touch& touch, Range rows);

  /// The bytes between the first and the last one that rows touch, without rows that stand for others outside.
  Bytes of(Range rows) const;
  /// All bytes that are touched.
  Bytes all() const;
  /// The end of the bytes that rows before `end` touch; the least address if there are none.
  i64 end_before(i64 end) const;
  /// The least rows before which all touches of addresses below `address` are: the rows from there on touch none.
  i64 rows_touching_below(i64 address) const;

  bool writes() const { return touch_.writes; }
  i64 memory() const { return touch_.memory; }
  /// True if its bytes have no gaps that belong to others.
  bool is_dense() const { return touch_.bytes == touch_.stride; }

 private:
  Range reached(Range rows) const;
  i64 address(i64 row) const { return touch_.row_zero + row * touch_.stride; }
  /// The first row of the array that rows from `begin` on touch.
  i64 first_from(i64 begin) const;

  Touch touch_;
  Range rows_;
  bool is_unit_;  // rows [i, j) touch [i + low_, j + high_)
  i64 low_ = 0, high_ = 0;
  i64 top_end_ = 0;                 // end of the rows that stand for some above the array
  i64 bottom_begin_ = most_extent;  // the first of the rows that stand for some below it
};

}  // namespace terrace::graph
