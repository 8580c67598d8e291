// Products of two matrices as a plan of blocks.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/recursive/semiring.hpp"
#include "kernels/recursive/task.hpp"
#include "kernels/recursive/tiles.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/recursive/dealt_lines.hpp"
#include "stages/recursive/order.hpp"
#include "stages/recursive/packed_words.hpp"
#include "stages/recursive/tile_arrays.hpp"
#include "stages/recursive/weight_range.hpp"

namespace terrace::stages {

/// The ranges of the elements of left, right and accumulate.
using ProductRanges = std::array<WeightRange, 3>;

/// The factors of a product, and its cut into blocks.
struct ProductCut {
  recursive::TileSpec spec;
  std::int64_t rows = 0, columns = 0, depth = 0;  // the left matrix: rows x depth, the right one: depth x columns
  std::int64_t tile = 1;                          // rows and columns of a tile
  std::vector<Ways> ways;                         // of each level of the recursion
  std::optional<ProductRanges> stated = std::nullopt;  // that the elements lie in; nullopt: they are found first
};

/// A matrix of the job and its name there.
struct Factor {
  std::shared_ptr<io::Source> source;
  std::string name;
};

/// True if a product depends on the range of its elements: max_min, or_and and count never leave it, and real
/// numbers become infinite.
bool looks_at_range(const std::string& semiring, ElementType type);

/// True if products in a semiring, and their sums, always differ from its zero in an integer type.
bool holds_product(const std::string& semiring, ElementType type, const ProductRanges& ranges, std::int64_t depth);

/// The phase of updates: block n is update n of the order. The first update of a tile begins it as the algebra's
/// zero, or as the tile of the matrix that the product is added to. Products of integers whose range matters begin
/// with a phase that looks at all elements, unless it is stated. Of or_and all matrices are bits, and each tile is
/// given out as bytes by its last update; of count the factors are bits.
class ProductPlan : public run::Plan {
 public:
  /// @param accumulate null if the product is added to nothing; of or_and all are packed_words(), of count the
  /// factors
  ProductPlan(ProductCut cut, Factor left, Factor right, std::optional<Factor> accumulate);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_.specs(); }
  /// @param tally a ProductTally. @throws ComputeError if the type may not hold the product
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override { return inspects_ && number == 1; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  int devices(int available) const override { return lines().devices(available); }
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override { return lines().in_words(); }
  std::size_t descriptor_bytes() const override { return sizeof(recursive::TileTask); }
  std::size_t result_bytes() const override { return sizeof(recursive::TileResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  recursive::TileTask task(const run::Phase& phase, const run::BlockView& view) const;
  /// The input, 0, 1 or 2, that a block which inspects looks at.
  int input_of(std::int64_t index) const { return input_tile(index).array; }

  const ProductCut& cut() const { return cut_; }
  std::int64_t updates() const { return order_.count(); }
  DealtLines lines() const { return deals_rows() ? DealtLines{row_tiles()} : DealtLines{column_tiles(), "column"}; }
  bool accumulates() const { return inputs_ == 3; }
  /// True if all elements are looked at before the first update.
  bool inspects() const { return inspects_; }

 private:
  /// A tile of an input, by number over all inputs.
  struct InputTile {
    int array;
    Box box;
  };
  std::int64_t row_tiles() const { return arrays_.grid(product_).counts()[0]; }
  std::int64_t column_tiles() const { return arrays_.grid(product_).counts()[1]; }
  bool deals_rows() const { return row_tiles() >= column_tiles(); }
  InputTile input_tile(std::int64_t number) const;
  std::int64_t input_tiles() const;
  /// Updates of each tile.
  std::int64_t steps() const { return arrays().at(static_cast<std::size_t>(product_)).generations; }
  run::Block update(const Update& at) const;
  void check_range(const ProductRanges& ranges) const;

  ProductCut cut_;
  std::string semiring_;
  RecursiveOrder order_;
  bool inspects_;
  std::vector<std::string> names_;  // of left and right
  TileArrays arrays_;
  int inputs_ = 2;                 // left, right and perhaps accumulate
  int product_ = 2, output_ = -1;  // the product, and the bytes in which bits are given out
};

}  // namespace terrace::stages
