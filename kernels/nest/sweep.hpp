// A nest with its skew, as kernels and plans cut it: coordinates of iterations, and the borders of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/compiled/cxx_compiler.hpp"
#include "kernels/nest/nest.hpp"
#include "kernels/nest/schedule.hpp"
#include "kernels/nest/task.hpp"

namespace terrace::nest {

/// The results that are asked for of an array.
struct Kept {
  bool last = false, table = false, corner = false;
  int best = 0;  // 1: the largest element, -1: the least one
};

/// The definition of what a kernel computes, and how its work is cut.
struct NestSpec {
  std::shared_ptr<const Nest> nest;
  std::vector<Dependence> flow;
  Skew skew;
  std::vector<Kept> kept;          // an array each
  Point tile{};                    // sides of kernel tiles; 0: the method's
  std::vector<i64> block;          // sides of the largest block; empty: all is one
  compiled::CxxCompiler compiler;  // by which it may be compiled for the CPU
};

/// The numbers k for which value + k * slope lies in a range; all, within 2^62, or none if the slope is 0.
Range steps_in(const Range& range, i64 value, i64 slope);

/// The coordinates of a spec's iterations. A block is a box of them: values that it makes are needed by later blocks
/// alone, none farther than `halo` along a coordinate.
class Sweep {
 public:
  explicit Sweep(const NestSpec& spec);

  std::size_t rank() const { return skew_.rank(); }
  /// The least box of all iterations; empty if there are none.
  const Ranges& space() const { return space_; }
  /// The largest distance of a dependence along each coordinate.
  const Point& halo() const { return halo_; }
  /// The statements in an order in which each comes after those whose values it needs at the same coordinates.
  const std::vector<int>& order() const { return order_; }
  /// Distances of the dependence `number` along the coordinates.
  const Point& along(std::size_t number) const { return along_[number]; }

  /// Loop `first + n` of an iteration, as rows take it (Skew), of its coordinates less the shifts: a row of
  /// coefficients.
  const std::vector<std::vector<i64>>& inverse() const { return inverse_; }

  /// The iteration of a statement at coordinates, which may lie outside its box.
  Point iteration(int statement, const Point& coordinates) const;
  /// The change of the iteration with the last coordinate; nullopt if loops that are counted as one change.
  std::optional<Point> iteration_step() const;
  /// The coordinates along the last axis at which a statement has iterations, the others given.
  Range row(int statement, const Point& coordinates) const;
  /// A box that holds the iterations of a statement in a block.
  Ranges iterations(int statement, const Ranges& block) const;
  /// True if the iterations that make the elements of a kept array in a block are a box: all of them for a table,
  /// else those that make the last elements. Else only one block can be.
  bool keeps_boxes() const;
  /// The iterations of a statement in a block whose elements are kept; a box if keeps_boxes() or the block is all.
  Ranges kept_iterations(int statement, const Ranges& block, bool table) const;

  /// Words of the layers that a block hands on along a coordinate.
  i64 face_words(std::size_t coordinate, const Ranges& block) const;
  /// Words of the values of a block and its borders.
  i64 block_words(const Ranges& block) const;

 private:
  void find_space();
  void invert();
  Range skewed_range(std::size_t loop, int statement) const;

  std::shared_ptr<const Nest> nest_;
  std::vector<Kept> kept_;
  Skew skew_;
  std::vector<std::vector<i64>> inverse_;
  std::vector<Dependence> flow_;
  std::vector<Point> along_;
  Ranges space_;
  Point halo_{};
  std::vector<int> order_;
};

/// True if an element that a statement makes is the last one there: of a table in the last slice, of an array in
/// place in the last iteration of the loops that it lacks.
bool is_last(const Nest& nest, const Statement& statement, const Point& at);

}  // namespace terrace::nest
