// Totals of a table of distances as a plan of blocks.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/recursive/reduction.hpp"
#include "pipeline/run/plan.hpp"

namespace terrace::stages {

/// The way in which a table is read.
struct QueryCut {
  ElementType value = ElementType::f32;
  std::int64_t from = 0, nodes = 0;  // rows and columns of the table
  std::int64_t rows = 1;             // of a block, with all of their columns
  bool totals = false;               // true if the table is read
  bool each = false;                 // true if the largest distance from each node is kept
  std::optional<values::Bins> bins;  // of the histogram; nullopt: none
  /// Source::sources() of the table.
  std::shared_ptr<const std::vector<std::int64_t>> sources;
};

/// One phase: a block reads some rows of the table.
class QueryPlan : public run::Plan {
 public:
  QueryPlan(QueryCut cut, std::shared_ptr<io::Source> matrix);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t) const override { return false; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::size_t descriptor_bytes() const override { return sizeof(recursive::ReductionTask); }
  std::size_t result_bytes() const override { return sizeof(recursive::ReductionResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  recursive::ReductionTask task(const run::Phase& phase, const run::BlockView& view) const;

  const QueryCut& cut() const { return cut_; }
  /// A histogram has at least one, which makes it.
  std::int64_t blocks() const;
  /// The rows that a block reads.
  Box rows(std::int64_t index) const;

 private:
  static constexpr int histogram_ = 1;  // array of the histogram, if there is one

  QueryCut cut_;
  std::vector<run::ArraySpec> arrays_;
};

}  // namespace terrace::stages
