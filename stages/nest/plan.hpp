// A nest as a plan of blocks: boxes of its skewed iterations, which hand borders on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/nest/input_reads.hpp"
#include "kernels/nest/methods.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/block_levels.hpp"
#include "stages/block_memory.hpp"
#include "stages/compiled_method.hpp"
#include "stages/dealing.hpp"
#include "stages/nest/definition.hpp"

namespace terrace::stages {

/// A dataset of a nest: the elements of an array that are kept.
struct NestDataset {
  int array = 0;
  bool is_table = false;  // else the last elements
  nest::Ranges box;       // of the array's elements; of the last slice of a table one index along its first axis
};

/// Phase 0, if it is needed, makes what no statement writes: a block a part of a tile. The next phase makes the
/// iterations: blocks in the order of their numbers, each after those before it along each coordinate, from which it
/// has the last layers of values. Several devices share the blocks of a level.
class NestPlan : public run::Plan {
 public:
  /// @param sides of a block along the coordinates, at least 1 @param method that computes it, for as long as it can
  NestPlan(NestDefinition definition, std::vector<std::int64_t> sides, const nest::NestMethod& method,
           Dealing dealing = {});
  NestPlan(const NestPlan&) = delete;
  NestPlan& operator=(const NestPlan&) = delete;

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  int devices(int available) const override;
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override;
  std::size_t descriptor_bytes() const override { return sizeof(nest::NestTask); }
  std::size_t result_bytes() const override { return sizeof(nest::NestResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  nest::NestTask task(const run::Phase& phase, const run::BlockView& view) const;

  const NestDefinition& definition() const { return definition_; }
  const nest::NestSpec& spec() const { return definition_.spec; }
  const std::vector<std::int64_t>& sides() const { return sides_; }
  const Dealing& dealing() const { return dealing_; }
  /// Blocks by levels, which several devices share.
  BlockLevels levels() const;
  const std::vector<NestDataset>& datasets() const { return datasets_; }
  /// The dataset of an array of the plan, if it is one.
  const NestDataset* dataset(int array) const;
  /// Blocks of iterations, at least one.
  std::int64_t blocks() const;
  /// The memory of a block, the largest of a few, without the kernel's workspace.
  BlockMemory block_memory() const;
  const CompiledMethod<nest::NestSpec>& compiled_method() const { return method_; }
  const nest::NestMethod& method() const { return method_.method(); }
  /// True if a block's parts fit a descriptor.
  bool parts_fit() const;

 private:
  /// A box of a dataset that no statement makes.
  struct Rest {
    int dataset;
    nest::Ranges box;
  };

  const nest::Nest& nest() const { return *definition_.spec.nest; }
  void add_inputs();
  void add_datasets();
  void add_faces();
  void find_rest();
  bool is_never_made(const nest::Array& array) const;

  nest::Ranges ranges_of(const nest::Point& number) const;
  nest::Point number_of(std::int64_t index) const;
  std::int64_t count_along(std::size_t coordinate) const;
  /// The number of a block among those with the same number along a coordinate.
  std::int64_t row_of(std::size_t coordinate, const nest::Point& number) const;

  run::Block block_of_iterations(std::int64_t index) const;
  run::Block block_of_rest(std::int64_t index) const;
  void add_parts(const nest::Ranges& ranges, run::Block& block) const;
  void add_borders(const nest::Point& number, run::Block& block) const;
  void add_inputs_read(const std::vector<Box>& boxes, run::Block& block) const;
  void add_bytes(const run::Access& access, BlockMemory& memory) const;
  Box box_of(const NestDataset& dataset, const nest::Ranges& elements) const;

  NestDefinition definition_;
  nest::Sweep sweep_;
  nest::InputReads reads_;
  std::vector<std::int64_t> sides_;
  Dealing dealing_;
  std::optional<BlockLevels> levels_;  // if blocks are dealt to several devices
  std::vector<NestDataset> datasets_;
  std::vector<Rest> rest_;
  std::vector<std::int64_t> rest_begin_;  // the first block of each, and the number of all
  std::vector<int> faces_;                // the array of each coordinate's borders; -1: it is not cut
  std::vector<run::ArraySpec> arrays_;
  mutable CompiledMethod<nest::NestSpec> method_;
};

}  // namespace terrace::stages
