// Problems over intervals as a program of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/recursive/intervals.hpp"
#include "pipeline/run/program.hpp"
#include "stages/device_memory.hpp"
#include "stages/recursive/triangles/order.hpp"

namespace terrace::stages {

/// What a problem over intervals is of, and how it is cut.
struct TrianglePlan {
  recursive::IntervalSpec spec;
  std::int64_t nodes = 1;          // one more than items
  std::int64_t tile = 1;           // rows and columns of a tile
  std::vector<std::int64_t> ways;  // of each level of the recursion
  bool table = false;              // whether the table is a result
  bool pairs = false;              // whether the brackets are of pairs that the rule looks inside of
  std::int64_t least_inside = 0;   // pairings
  bool wobble = false;
  double chord = 0;  // polygons of points: what the value of the whole has beside its cost
};

/// What has been folded.
struct TriangleFindings {
  std::int64_t whole = 0;                   // the value of all items, of integer types
  double real = 0;                          // of others
  std::vector<std::int32_t> opens, closes;  // brackets before and behind each item; with splits alone
};

/// One phase: the updates of the triangle in their order, then, for results, zeros below the diagonal, then, with
/// splits, a walk through the tiles of splits from the first row to the last and in each from the right to the left:
/// so that a tile comes after those with intervals that its own are parts of, each is read once. What the walk counts
/// is in three numbers a node, and reported in pieces.
///
/// The table is stored as a triangle: tile (i, j) is piece j (j + 1) / 2 + i of a stack. As a result it is a square
/// of which the tiles of the triangle are moved, and those below it written once.
class TriangleProgram : public run::Program {
 public:
  /// @param terms 3 x nodes values (recursive::NodeTerms)
  TriangleProgram(TrianglePlan plan, std::shared_ptr<io::Source> terms);
  ~TriangleProgram() override;

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number) override;
  bool needs_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t number, std::int64_t index) const override;
  void open(device::Context& context, int device) override;
  std::size_t descriptor_bytes() const override;
  std::size_t result_bytes() const override;
  void describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt,
           device::Context& context, int device) override;
  void failed(const run::Phase& phase, std::int64_t number, std::int64_t index, int attempt) override;
  void fold(const run::Phase& phase, std::int64_t number, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const TrianglePlan& plan() const { return plan_; }
  const TriangleFindings& findings() const { return findings_; }
  std::int64_t blocks() const;
  std::int64_t tiles() const { return across_ * (across_ + 1) / 2; }

 private:
  /// Blocks of the phase by what they do.
  struct Place {
    recursive::IntervalStep step;
    std::int64_t number;  // among those of its step
  };
  /// A tile by its place in the triangle, or below it.
  struct Tile {
    std::int64_t i, j;
  };

  Place place_of(std::int64_t index) const;
  Tile below_tile(std::int64_t number) const;
  Tile traced_tile(std::int64_t number) const;
  std::int64_t below_tiles() const;
  std::int64_t reports() const;
  std::int64_t size_of(std::int64_t tile) const;
  double operations_of(const TriangleUpdate& at) const;
  std::vector<Tile> factors(const TriangleUpdate& at) const;
  Box box_of(int array, const Tile& tile) const;
  Box report_box(std::int64_t number) const;
  void describe_update(const TriangleUpdate& at, const run::BlockView& view, recursive::IntervalTask& task) const;

  TrianglePlan plan_;
  std::int64_t across_;  // tiles
  TriangleOrder order_;
  int split_array_ = -1, trace_array_ = -1;
  std::vector<run::ArraySpec> arrays_;
  std::vector<std::unique_ptr<DeviceMemory>> workspaces_;    // one a device of its own memory
  std::vector<std::unique_ptr<recursive::Updates>> opened_;  // one a device
  TriangleFindings findings_;
};

}  // namespace terrace::stages
