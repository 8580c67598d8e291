// Gaussian elimination of a square matrix as a plan of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/recursive/task.hpp"
#include "kernels/recursive/tiles.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/recursive/dealt_lines.hpp"
#include "stages/recursive/order.hpp"

namespace terrace::stages {

/// The problem of an elimination, and its cut into tiles.
struct EliminationCut {
  recursive::TileSpec spec;
  std::int64_t tile = 1;  // rows and columns of a tile
  std::int64_t rows = 0;
  std::vector<std::int64_t> ways;  // of each level of the recursion
};

/// One phase: block n is update n of the order. Tile (i, j) has min(i, j) + 1 updates. The first one makes its tile
/// from the input, the last one makes the generation that all tiles end with.
class EliminationPlan : public run::Plan {
 public:
  EliminationPlan(EliminationCut cut, std::shared_ptr<io::Source> matrix, std::string matrix_name);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  int devices(int available) const override { return lines().devices(available); }
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override { return lines().in_words(); }
  std::size_t descriptor_bytes() const override { return sizeof(recursive::TileTask); }
  std::size_t result_bytes() const override { return sizeof(recursive::TileResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  recursive::TileTask task(const run::Phase& phase, const run::BlockView& view) const;

  const EliminationCut& cut() const { return cut_; }
  const std::string& matrix_name() const { return matrix_name_; }
  std::int64_t updates() const { return order_.count(); }
  DealtLines lines() const { return {across_}; }

 private:
  Box tile(std::int64_t i, std::int64_t j) const;

  EliminationCut cut_;
  std::string matrix_name_;
  std::int64_t across_;  // tiles
  RecursiveOrder order_;
  std::vector<run::ArraySpec> arrays_;
};

/// Blocks find nothing but pivots that are of no use, which end the run.
class EliminationTally : public run::Tally {
 public:
  explicit EliminationTally(const EliminationPlan& plan) : plan_(plan) {}

  /// @throws ComputeError if a pivot is unusable
  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override { return "{}"; }
  void load(const std::string&) override {}

 private:
  const EliminationPlan& plan_;
};

}  // namespace terrace::stages
