// Products of two matrices as a program of blocks.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/recursive/semiring.hpp"
#include "kernels/recursive/task.hpp"
#include "pipeline/run/program.hpp"
#include "stages/recursive/opened_tiles.hpp"
#include "stages/recursive/order.hpp"
#include "stages/recursive/weights.hpp"

namespace terrace::stages {

/// What a product is of, and how it is cut.
struct ProductPlan {
  recursive::TileSpec spec;
  std::int64_t rows = 0, columns = 0, depth = 0;  // the left matrix: rows x depth, the right one: depth x columns
  std::int64_t tile = 1;                          // rows and columns of a tile
  std::vector<Ways> ways;                         // of each level of the recursion
};

/// A matrix of the job and its name there.
struct Factor {
  std::shared_ptr<io::Source> source;
  std::string name;
};

/// Whether products in a semiring, and their sums, are sure to be told from its zero in an integer type.
/// @param ranges of the elements of left, right and accumulate
bool holds_product(const std::string& semiring, ElementType type, const std::array<WeightRange, 3>& ranges,
                   std::int64_t depth);

/// The phase of updates: block n is update n of the order. The first update of a tile begins it as the algebra's
/// zero, or as the tile of the matrix that the product is added to. Products of integers whose range matters begin
/// with a phase that looks at all elements.
class ProductProgram : public run::Program {
 public:
  /// @param accumulate null where the product is added to nothing
  ProductProgram(ProductPlan plan, Factor left, Factor right, std::optional<Factor> accumulate);
  ~ProductProgram() override;

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number) override;
  bool needs_results(std::int64_t number) const override { return inspects_ && number == 1; }
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

  const ProductPlan& plan() const { return plan_; }
  std::int64_t updates() const { return order_.count(); }

 private:
  /// A tile of an input, by number over all inputs.
  struct InputTile {
    int array;
    Box box;
  };
  InputTile input_tile(std::int64_t number) const;
  std::int64_t input_tiles() const;

  ProductPlan plan_;
  std::string semiring_;
  RecursiveOrder order_;
  bool inspects_;
  int inputs_ = 2;  // left, right and perhaps accumulate; the product is the array after them
  std::vector<std::string> names_;
  std::vector<run::ArraySpec> arrays_;
  std::vector<TileGrid> grids_;
  std::vector<std::unique_ptr<OpenedTiles>> opened_;  // one a device
  std::array<WeightRange, 3> ranges_;                 // what has been folded
};

}  // namespace terrace::stages
