// Closures of a square matrix as a program of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/recursive/task.hpp"
#include "pipeline/run/program.hpp"
#include "stages/recursive/opened_tiles.hpp"
#include "stages/recursive/order.hpp"
#include "stages/recursive/weights.hpp"

namespace terrace::stages {

/// What a closure is of, and how it is cut.
struct ClosurePlan {
  recursive::TileSpec spec;
  std::int64_t tile = 1;  // rows and columns of a tile
  std::int64_t nodes = 0;
  std::vector<std::int64_t> ways;  // of each level of the recursion
  bool loops = false;              // whether the diagonal of the matrix holds edges, too
};

/// The phase of updates: block n is update n of the order; it turns generation g of its tile into g + 1, where g
/// counts the updates of the tile before it. The first update of a tile makes generation 1 of the input, so that the
/// matrix is never copied for its own sake. Tiles that a block reads are taken in the generation that they have when
/// blocks run one after another. That may be a later one than in the plain order of k: it holds shorter paths, never
/// wrong ones. Paths go beside the distances as a table of trails; with its last update a block writes a tile of the
/// next nodes. A table of bits is scratch, and goes to the result likewise.
///
/// Distances in integers begin with a phase that looks at all weights: whether some are negative decides what is
/// infinite at the end, and whether the type can hold the distances.
class ClosureProgram : public run::Program {
 public:
  ClosureProgram(ClosurePlan plan, std::shared_ptr<io::Source> matrix, std::string matrix_name);
  ~ClosureProgram() override;

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number) override;
  bool needs_results(std::int64_t number) const override { return inspects() && number == 1; }
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

  const ClosurePlan& plan() const { return plan_; }
  std::int64_t across() const { return across_; }
  std::int64_t updates() const { return order_.count(); }
  /// The largest finite distance so far, of floating-point types; 0 before any is known.
  double farthest() const { return farthest_real_; }

 private:
  bool inspects() const { return !recursive::has_bits(plan_.spec.table) && !is_floating(plan_.spec.value); }
  /// Adds an array of `cells` nodes to an element. @returns its number
  int add_array(const std::string& name, run::Role role, ElementType type, std::int64_t cells = 1);
  Box tile(int array, std::int64_t i, std::int64_t j) const;
  void check_range() const;
  void check_distances() const;

  ClosurePlan plan_;
  std::string matrix_name_;
  std::int64_t across_;  // tiles
  RecursiveOrder order_;
  std::vector<run::ArraySpec> arrays_;
  std::vector<std::int64_t> cells_;  // columns of the table in an element, of each array
  int input_ = 0, table_ = 0;
  int trail_ = -1, output_ = -1;                      // -1: there is none
  std::vector<std::unique_ptr<OpenedTiles>> opened_;  // one a device

  // What has been folded. Integers and others each have their own.
  WeightRange range_;
  std::int64_t farthest_ = 0;
  double least_real_ = 0, most_real_ = 0, farthest_real_ = 0;
};

}  // namespace terrace::stages
