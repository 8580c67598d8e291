// Tables with many dimensions, their cells, and the cut of a table into tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/dp_table/steps.hpp"
#include "kernels/dp_table/task.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::dp_table {

/// OPT(v) combines OPT(v - s) + cost(s) over the steps s with s <= v in every component.
enum class Combine : std::uint8_t {
  min,    // the least; OPT(0) is 0
  max,    // the largest; OPT(0) is 0
  count,  // the sum of OPT(v - s), costs aside; OPT(0) is 1
  any,    // 1 if one of OPT(v - s) is; OPT(0) is 1
};

/// The order in which a table takes its steps.
enum class Order : std::uint8_t {
  ordered,    // each cell takes all of them: `count` counts sequences of steps
  unordered,  // all cells take one step, as often as it fits, then the next step: `count` counts multisets of steps
};

enum class Schedule : std::uint8_t {
  automatic,    // the program's own
  partitioned,  // Li's Algorithms 4 and 5: contiguous blocks by block levels, levels within a block
  levels,       // Ghalami and Grosu's Algorithm 2: all cells tested at every level; on the CPU only
};

/// The way in which a table is cut into tiles: the first `whole` dimensions into single indices, dimension `whole`
/// into ranges of `rows` indices, the others not. One tile: whole 0, rows the first extent.
struct Cut {
  int whole = 0;
  std::int64_t rows = 1;
};

/// A table to be computed.
struct Table {
  Combine combine = Combine::min;
  ElementType type = ElementType::u8;
  Extents extents;  // cells, of 1 to most_dimensions dimensions
  StepSet steps;
  std::int64_t modulus = 0;  // of counts; 0: none
  std::int64_t cap = 0;      // of min in u8 with costs of 1: larger values become it; 0: none
  Cut cut;
  Schedule schedule = Schedule::automatic;
  int partition_dimensions = 5;  // of `partitioned`
  Order order = Order::ordered;  // unordered: of `count` alone
};

/// Number of cells; nullopt if there are more than 2^62.
std::optional<std::int64_t> cells_of(const Extents& extents);

/// A run of rows of other tiles that a block reads: those of one prefix of the dimensions cut into single indices.
struct SourceRange {
  std::vector<std::int64_t> prefix;  // of the steps that lead there: what is subtracted from the tile's
  std::int64_t reach = 0;            // largest component of these steps in the dimension that is cut into rows
};

/// The table with its dimensions in another order: number d becomes that of number order[d]. Steps keep their
/// numbers.
Table in_order(const Table& table, const std::vector<int>& order);

/// True if the step leads from a cell of the table to another one.
bool fits_table(const Extents& extents, const std::int64_t* step);

/// The sources of the table's tiles; number 0 is the tile's own prefix. Steps that fit no cell have none.
std::vector<SourceRange> sources_of(const Table& table);

/// The tiles of a table, numbered in row-major order, which is an order in which they may be computed.
class Tiles {
 public:
  explicit Tiles(const Table& table);

  std::int64_t count() const { return count_; }
  /// Ranges of rows of each prefix.
  std::int64_t ranges() const { return ranges_; }
  /// The shape of a full tile.
  Extents shape() const;
  /// The cells of a tile.
  Box box(std::int64_t tile) const;
  /// The rows of other tiles that tile `tile` reads of source `source`; empty if no step leads there.
  Box read(std::int64_t tile, const SourceRange& source, bool own) const;
  /// The rows of other tiles to which one step leads from the cells of tile `tile`; empty if there are none.
  Box read(std::int64_t tile, const std::int64_t* step) const;
  /// The last of the tiles that read tile `tile`; the tile itself if none does.
  std::int64_t last_reader(std::int64_t tile, const std::vector<SourceRange>& sources) const;
  /// A bound of the tiles that are needed at a time while tiles are made in their order: the one in the making, and
  /// those before it that it or a later one reads.
  std::int64_t most_live(const std::vector<SourceRange>& sources) const;
  /// The number of the tile with that cell.
  std::int64_t tile_of(const Extents& cell) const;
  /// Cells of a row of a tile.
  std::int64_t row_cells() const { return row_cells_; }

 private:
  Extents extents_;
  Cut cut_;
  std::int64_t ranges_ = 1;  // of rows
  std::int64_t count_ = 1;
  std::int64_t row_cells_ = 1;
};

/// The block shape of Li's Algorithm 5. Each extent is divided by its largest divisor not above its square root,
/// prime extents by themselves; only the `dimensions` largest extents are divided, of equal ones the first.
Extents partition_of(const Extents& extents, int dimensions);

/// The narrowest type that holds every value: the largest cost times the longest chain. f64 if a cost is no whole
/// number.
/// @param modulus of counts; 0: i64 @return i64 also where it may not suffice
ElementType narrowest_type(Combine combine, const Extents& extents, const StepSet& steps, std::int64_t modulus);
/// True if every value that the table may have fits the type, beside the one of cells that no step reaches. Always
/// true for counts, which are checked as they are made.
bool fits(Combine combine, ElementType type, const Extents& extents, const StepSet& steps, std::int64_t modulus);

std::string_view name_of(Combine combine);

}  // namespace terrace::dp_table
