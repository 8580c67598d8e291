// Which pairs of two sets are computed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "stages/stage_kind.hpp"
#include "stages/wavefront/pairs/sides.hpp"

namespace terrace::stages {

/// Numbers of a row item and a column item.
using ItemPair = std::array<std::int64_t, 2>;

/// The pairs of a step in their order: all of them as a matrix, or a list.
class Entries {
 public:
  enum class Kind {
    all,    // a matrix: each row with each column
    same,   // item i of the rows with item i of the columns
    upper,  // of one set: item i with each later one, row by row
    given,  // as the job lists them
  };

  Entries() = default;
  /// @param rows, columns items of the sides
  Entries(Kind kind, std::int64_t rows, std::int64_t columns) : kind_(kind), rows_(rows), columns_(columns) {}
  explicit Entries(std::vector<ItemPair> given)
      : kind_(Kind::given), given_(std::make_shared<const std::vector<ItemPair>>(std::move(given))) {}

  bool is_matrix() const { return kind_ == Kind::all; }
  Kind kind() const { return kind_; }
  std::int64_t count() const;
  ItemPair pair(std::int64_t entry) const;
  /// The first entry of a row of `all` or `upper`.
  std::int64_t first_of_row(std::int64_t row) const {
    return kind_ == Kind::upper ? before_row(row) : row * columns_;
  }
  /// Bytes of memory that it keeps.
  std::size_t memory() const { return given_ ? given_->size() * sizeof(ItemPair) : 0; }

 private:
  /// Pairs of `upper` before row `row`.
  std::int64_t before_row(std::int64_t row) const { return row * (columns_ - 1) - row * (row - 1) / 2; }

  Kind kind_ = Kind::all;
  std::int64_t rows_ = 0, columns_ = 0;
  std::shared_ptr<const std::vector<ItemPair>> given_;
};

/// The setting `pairs` of a step. @throws JobError at its place
Entries entries_of(const Request& request, const PairSides& sides);

}  // namespace terrace::stages
