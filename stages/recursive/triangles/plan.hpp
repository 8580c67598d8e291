// Problems over intervals as a plan of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/recursive/intervals.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/recursive/dealt_lines.hpp"
#include "stages/recursive/triangles/order.hpp"

namespace terrace::stages {

/// The problem over intervals, and its cut into tiles.
struct TriangleCut {
  recursive::IntervalSpec spec;
  std::int64_t nodes = 1;          // one more than items
  std::int64_t tile = 1;           // rows and columns of a tile
  std::vector<std::int64_t> ways;  // of each level of the recursion
  bool table = false;              // true if the table is a result
  bool pairs = false;              // true if the brackets are of pairs that the rule looks inside of
  std::int64_t least_inside = 0;   // pairings
  bool wobble = false;
  double chord = 0;  // polygons of points: the whole value minus its cost
};

/// One phase: the updates of the triangle in their order; then, for results, zeros below the diagonal; then, with
/// splits, a walk through the tiles of splits from the first row to the last and in each from right to left. So a
/// tile comes after all tiles whose intervals contain its own, and each is read once. The walk counts in three
/// numbers per node, which are reported in pieces.
///
/// The table is stored as a triangle: tile (i, j) is piece j (j + 1) / 2 + i of a stack. As a result it is a square:
/// its triangle is moved by tiles, the tiles below it are written once.
class TrianglePlan : public run::Plan {
 public:
  /// A block of the phase, by its step.
  struct Place {
    recursive::IntervalStep step;
    std::int64_t number;  // among the blocks of its step
  };

  /// @param terms 3 x nodes values (recursive::NodeTerms)
  TrianglePlan(TriangleCut cut, std::shared_ptr<io::Source> terms);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  int devices(int available) const override { return lines().devices(available); }
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override { return lines().in_words(); }
  std::size_t descriptor_bytes() const override { return sizeof(recursive::IntervalTask); }
  std::size_t result_bytes() const override { return sizeof(recursive::IntervalResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  recursive::IntervalTask task(const run::Phase& phase, const run::BlockView& view) const;

  const TriangleCut& cut() const { return cut_; }
  DealtLines lines() const { return {across_, "column"}; }
  std::int64_t blocks() const;
  std::int64_t tiles() const { return across_ * (across_ + 1) / 2; }
  Place place_of(std::int64_t index) const;
  /// True if the block makes the value of all items: its tile, in the upper right corner, needs all others.
  bool completes(std::int64_t index) const { return index + 1 == order_.count(); }
  /// Nodes [first, second) of a report.
  std::pair<std::int64_t, std::int64_t> reported(std::int64_t number) const;

 private:
  /// A tile by its place in the triangle, or below it.
  struct Tile {
    std::int64_t i, j;
  };

  Tile below_tile(std::int64_t number) const;
  Tile traced_tile(std::int64_t number) const;
  std::int64_t below_tiles() const;
  std::int64_t reports() const;
  std::int64_t size_of(std::int64_t tile) const;
  double operations_of(const TriangleUpdate& at) const;
  Box box_of(int array, const Tile& tile) const;
  run::Block update(const TriangleUpdate& at) const;
  std::vector<run::Access> factors(const TriangleUpdate& at) const;
  void describe_update(const TriangleUpdate& at, recursive::IntervalTask& task) const;

  TriangleCut cut_;
  std::int64_t across_;  // tiles
  TriangleOrder order_;
  int split_array_ = -1, trace_array_ = -1;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
