// Dependences between rows of launches, from the memory that they touch.
#pragma once

#include <vector>

#include "kernels/graph/tiling/touch.hpp"

namespace terrace::graph {

constexpr std::size_t as_index(int number) { return static_cast<std::size_t>(number); }

/// Rows of a launch that must be made before rows of a later one: because of what one of them writes.
struct Dependence {
  int on = 0;  // the earlier launch
  const RowTouch* earlier = nullptr;
  const RowTouch* later = nullptr;
  bool is_flow = false;  // the later one reads what the earlier one writes

  /// Rows of the earlier launch before the one returned must be made before those of the later launch before `end`.
  i64 rows_before(i64 end) const { return earlier->rows_touching_below(later->end_before(end)); }
};

/// Launches that are made one after another, with what is known of them.
class TileGraph {
 public:
  explicit TileGraph(std::vector<TileStep> steps);

  int size() const { return static_cast<int>(steps_.size()); }
  const TileStep& step(int n) const { return steps_[as_index(n)]; }
  const std::vector<RowTouch>& touches(int n) const { return touches_[as_index(n)]; }
  /// The number of the piece of memory of each touch of a launch, from 0 on.
  const std::vector<int>& pieces(int n) const { return pieces_[as_index(n)]; }
  int pieces() const { return piece_count_; }
  /// The launches that a launch depends on. One may be there several times; those that follow from others are left
  /// out.
  const std::vector<Dependence>& dependences(int n) const { return dependences_[as_index(n)]; }

 private:
  void find_dependences();

  std::vector<TileStep> steps_;
  std::vector<std::vector<RowTouch>> touches_;
  std::vector<std::vector<int>> pieces_;
  std::vector<std::vector<Dependence>> dependences_;
  int piece_count_ = 0;
};

}  // namespace terrace::graph
