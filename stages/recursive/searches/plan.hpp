// Shortest paths by searches as a plan of blocks: a block is some rows of the table of distances.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/node_names.hpp"
#include "kernels/recursive/searches.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/recursive/distance_proof.hpp"

namespace terrace::stages {

/// The searches of a stage, and their cut into blocks.
struct RowSearches {
  recursive::SearchSpec spec;
  FoundDistances weights;  // of the graph
  std::int64_t rows = 1;   // of a block
  bool reduces = false;    // rows are reduced as they are made, and not kept
};

/// Results of rows that are not kept.
inline constexpr const char* reduction_names[] = {"eccentricity", "sum", "reached"};

/// The phase of rows: blocks that depend on nothing. If weights are negative a block before them makes potentials, in
/// scratch, which all others read. The graph itself is in memory, as it is in that of its input.
class SearchPlan : public run::Plan {
 public:
  /// @param nodes names of the nodes, for errors
  SearchPlan(RowSearches cut, std::string matrix_name, std::shared_ptr<const io::NodeNames> nodes);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  /// @throws ComputeError if the type may not hold the distances
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override { return has_potentials() && number == 1; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  std::size_t descriptor_bytes() const override { return sizeof(recursive::SearchTask); }
  std::size_t result_bytes() const override { return sizeof(recursive::SearchResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  recursive::SearchTask task(const run::Phase& phase, const run::BlockView& view) const;

  const RowSearches& cut() const { return cut_; }
  const std::string& matrix_name() const { return matrix_name_; }
  const io::NodeNames* nodes() const { return nodes_.get(); }
  bool has_potentials() const { return cut_.spec.graph->negative; }
  /// Blocks of rows. A histogram has at least one, which makes it.
  std::int64_t blocks() const {
    return std::max<std::int64_t>(cut_.spec.bins ? 1 : 0, (cut_.spec.rows() + cut_.rows - 1) / cut_.rows);
  }
  bool makes_rows(const run::Phase& phase) const { return !has_potentials() || phase.number == 1; }

 private:
  Box rows(std::int64_t index) const;

  RowSearches cut_;
  std::string matrix_name_;
  std::shared_ptr<const io::NodeNames> nodes_;
  std::vector<run::ArraySpec> arrays_;
  int potential_ = -1, beside_ = -1, histogram_ = -1;  // -1: absent
};

}  // namespace terrace::stages
