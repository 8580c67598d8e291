// The boxes of an array that a sample makes again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/graph/window.hpp"
#include "pipeline/base/box.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// The work that one part of a sample may take.
struct GraphVerifyLimits {
  /// Operations of a box: some seconds.
  static constexpr double operations = 5e8;
  /// Operations below which all of an array is made again at once.
  static constexpr double whole_operations = 1e8;
  /// Values in memory.
  static constexpr double values = 1 << 26;
  /// Values that are read of a stored array to make a number.
  static constexpr double stored_values = 1 << 28;
};

/// A sample of all boxes takes no more than a few times the work of the whole array: where a box depends on far more
/// cells than it has, boxes are apart from each other, each at a random place in its part of the array.
class GraphBoxes {
 public:
  GraphBoxes(const graph::Graph& graph, int value);

  /// True if a box takes no more work than the limits.
  bool possible() const { return grid_.has_value(); }
  std::int64_t count() const { return grid_->count(); }
  Box box(const Sampler& sampler, const std::string& dataset, std::int64_t number) const;
  /// "tiles", or "boxes of 16 x 16 cells".
  std::string name() const;

 private:
  std::int64_t side_ = 0;
  bool is_apart_ = false;
  std::optional<TileGrid> grid_;  // of the parts, with a box in each
};

}  // namespace terrace::stages
