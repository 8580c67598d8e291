// Gaussian elimination of a square matrix as a program of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/run/program.hpp"
#include "stages/recursive/opened_tiles.hpp"
#include "stages/recursive/order.hpp"

namespace terrace::stages {

/// What is eliminated, and how it is cut.
struct EliminationPlan {
  recursive::TileSpec spec;
  std::int64_t tile = 1;  // rows and columns of a tile
  std::int64_t rows = 0;
  std::vector<std::int64_t> ways;  // of each level of the recursion
};

/// One phase: block n is update n of the order. Tile (i, j) has min(i, j) + 1 updates, the last of which makes the
/// generation that all tiles end with; the first one makes it from the input.
class EliminationProgram : public run::Program {
 public:
  EliminationProgram(EliminationPlan plan, std::shared_ptr<io::Source> matrix, std::string matrix_name);
  ~EliminationProgram() override;

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
  std::string save() const override { return "{}"; }
  void load(const std::string&) override {}

  const EliminationPlan& plan() const { return plan_; }
  std::int64_t updates() const { return order_.count(); }

 private:
  Box tile(std::int64_t i, std::int64_t j) const;

  EliminationPlan plan_;
  std::string matrix_name_;
  std::int64_t across_;  // tiles
  RecursiveOrder order_;
  std::vector<run::ArraySpec> arrays_;
  std::vector<std::unique_ptr<OpenedTiles>> opened_;  // one a device
};

}  // namespace terrace::stages
