// Closures of a square matrix as a plan of blocks.
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
#include "stages/recursive/tile_arrays.hpp"
#include "stages/recursive/weight_range.hpp"

namespace terrace::stages {

/// The problem of a closure, and its cut into tiles.
struct ClosureCut {
  recursive::TileSpec spec;
  std::int64_t tile = 1;  // rows and columns of a tile
  std::int64_t nodes = 0;
  std::vector<std::int64_t> ways;                    // of each level of the recursion
  bool loops = false;                                // whether the diagonal of the matrix holds edges, too
  std::optional<WeightRange> stated = std::nullopt;  // that the weights lie in; nullopt: it is found first
};

/// The phase of updates: block n is update n of the order; it turns generation g of its tile into g + 1, where g
/// counts the earlier updates of the tile. The first update of a tile makes generation 1 from the input, so that the
/// matrix is never copied separately. A block reads tiles in the generation that they have when blocks run one after
/// another. That may be a later one than in the plain order of k: it holds shorter paths, never wrong ones. Paths are
/// kept as a table of trails next to the distances; with its last update a block writes a tile of the next nodes. A
/// table of bits is scratch, and is written to the result in the same way.
///
/// Distances in integers begin with a phase that looks at all weights, unless their range is stated: whether some are
/// negative decides what is infinite at the end, and whether the type can hold the distances.
class ClosurePlan : public run::Plan {
 public:
  /// @param nodes names of the nodes, for errors; null: they have none
  ClosurePlan(ClosureCut cut, std::shared_ptr<io::Source> matrix, std::string matrix_name,
              std::shared_ptr<const io::NodeNames> nodes = nullptr);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_.specs(); }
  /// @param tally a ClosureTally. @throws ComputeError if the type may not hold the distances
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override { return inspects() && number == 1; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  int devices(int available) const override { return lines().devices(available); }
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override { return lines().in_words(); }
  std::size_t descriptor_bytes() const override { return sizeof(recursive::TileTask); }
  std::size_t result_bytes() const override { return sizeof(recursive::TileResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  recursive::TileTask task(const run::Phase& phase, const run::BlockView& view) const;

  const ClosureCut& cut() const { return cut_; }
  const std::string& matrix_name() const { return matrix_name_; }
  const io::NodeNames* nodes() const { return nodes_.get(); }
  std::int64_t across() const { return across_; }
  DealtLines lines() const { return {across_}; }
  std::int64_t updates() const { return order_.count(); }
  /// True if all weights are looked at before the first update.
  bool inspects() const {
    return !recursive::has_bits(cut_.spec.table) && !is_floating(cut_.spec.value) && !cut_.stated;
  }

 private:
  run::Block update(const Update& at, std::int64_t index) const;

  ClosureCut cut_;
  std::string matrix_name_;
  std::shared_ptr<const io::NodeNames> nodes_;
  std::int64_t across_;  // tiles
  RecursiveOrder order_;
  TileArrays arrays_;
  int input_ = 0, table_ = 0;
  int trail_ = -1, output_ = -1;  // -1: absent
};

}  // namespace terrace::stages
