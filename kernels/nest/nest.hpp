// Nests of loops as values: recurrences that a job writes, typed. No input or output, no names but for messages.
//
// A nest has 1 to 4 loops, the outermost first. An array that its statements write has the loops from `first_loop` on
// as axes: a table has all of them, every element made once; an array in place lacks the outermost one or more, its
// elements made anew in each of their iterations. Tables alone are equations, in no order; with an array in place the
// nest means the program that runs statement after statement.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/integers.hpp"
#include "kernels/formula/formula.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::nest {

using device::i64;

inline constexpr std::size_t most_loops = 4, most_statements = 8, most_arrays = 8, most_inputs = 16;
inline constexpr i64 most_distance = 64;
/// Inputs of at most so many bytes may have any subscripts.
inline constexpr i64 most_look_up_bytes = 65536;

/// [begin, end), in an order: begin <= end.
struct Range {
  i64 begin = 0, end = 0;

  i64 size() const { return end - begin; }
  bool holds(i64 index) const { return index >= begin && index < end; }
  Range shifted(i64 by) const { return {begin + by, end + by}; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The whole numbers of a type that are within i64; of real types 0.
formula::Bounds bounds_of(ElementType type);

/// A range a loop, or an axis.
using Ranges = std::vector<Range>;
/// Numbers of iterations; of those beyond the nest's loops 0.
using Point = std::array<i64, most_loops>;

bool is_empty(const Ranges& ranges);
Ranges intersection(const Ranges& a, const Ranges& b);
bool holds(const Ranges& outer, const Ranges& inner);
/// The first point of a box, as far as it has axes.
Point first_point(const Ranges& box);
/// The next point along the first `axes` axes of a box, the last of them fastest; false after the last, at the first.
bool step(const Ranges& box, std::size_t axes, Point& at);
/// The parts of `a` that are not in `b`: boxes that do not meet.
std::vector<Ranges> difference(const Ranges& a, const Ranges& b);
/// "[0, 10) x [1, 20)".
std::string to_string(const Ranges& ranges);

/// An array that statements read only.
struct Input {
  std::string name;
  ElementType type = ElementType::i64;
  std::vector<i64> shape;
  i64 least = 0, most = 0;  // bounds of its whole numbers
  bool has_letters = false;
  /// The code of letters that equal nothing, themselves included; -1: none do.
  i64 unlike = -1;
};

/// A read of an element, the subscripts uniform in the loops.
struct Access {
  bool is_input = false;
  int array = 0;  // number among Nest::arrays or Nest::inputs
  /// An axis each: the loop whose number it adds to `offset`; -1: none. Of written arrays the array's loops in order.
  std::vector<int> loops;
  std::vector<i64> offset;

  friend bool operator==(const Access&, const Access&) = default;
};

struct Loop {
  std::string name;
  Range range;
};

struct Array {
  std::string name;
  ElementType type = ElementType::i64;
  std::size_t first_loop = 0;               // 0: a table
  Ranges written;                           // what statements write, an axis each
  Ranges box;                               // the elements that there are: what is written, or all of `from`
  int from = -1;                            // the input that has the elements that no statement writes; -1: none
  bool from_slices = false;                 // `from` lacks the outermost axis of a table
  std::optional<formula::Formula> outside;  // other elements; an index is one of the element's subscripts
};

struct Statement {
  int array = 0;            // that it writes
  std::vector<i64> offset;  // of the element, an axis each
  Ranges box;               // iterations, a loop each
  formula::Formula value;   // the result: i64 for arrays of whole numbers, else of the array's type
  std::string text;         // for messages

  /// The elements that it writes, or that are at another offset. @param first_loop of the array
  Ranges elements(std::size_t first_loop, const std::vector<i64>& at) const;
};

/// The order of statements in a program.
enum class Order : std::uint8_t {
  cells,      // all statements at a cell, before the next cell
  statements  // each statement over the inner loops, before the next statement
};

/// A nest. In formulas a read has the number of an access, and no offsets; an index that of a loop; a look-up that of
/// an input. All are i64 for whole numbers.
struct Nest {
  std::vector<Loop> loops;
  std::vector<Input> inputs;
  std::vector<Array> arrays;
  std::vector<Access> accesses;
  std::vector<Statement> statements;
  Order order = Order::cells;

  std::size_t depth() const { return loops.size(); }
  Ranges ranges() const;
  /// True if all arrays are tables: statements are equations, and have no order.
  bool is_equations() const;
  /// Iterations of all statements.
  double cells() const;
  /// "D[i-1][j]": an access as a job writes it.
  std::string in_words(const Access& access) const;
  /// "D[3][4]": an element that a statement writes.
  std::string element_in_words(const Statement& statement, const Point& at) const;
  /// The text of what is computed, names aside: equal for equal nests.
  std::string canonical() const;
};

}  // namespace terrace::nest
