// The tiles of the tables of a search, whose shapes are known only as the search goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stages/block_memory.hpp"
#include "stages/makespan/rounding.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Each probe of a round has an array of its own for its table: `tiles` tiles of `tile_cells` cells. Tile n of a
/// table lies at the begin of tile n of the array. A table is cut into single indices along its first dimensions,
/// those of the largest sizes, as few as it takes, and into ranges along the next one. No step is longer than a
/// range: of a prefix a tile reads the tile of its own range, and the last rows of the one before.
///
/// A table that is one tile stays until the next round makes the next one. Of a table of several tiles only those
/// stay that later ones read: the table of the search's end is made again, in an array of its own, for the way back.
struct SearchCut {
  std::int64_t tile_cells = 1;
  std::int64_t tiles = 1;
  std::int64_t sources = 0;  // other tiles that a block reads, at most
  std::int64_t live = 1;     // tiles that are needed at a time while a table is made, at most
  bool ordered = false;      // dimensions that are not cut are in the order that is best on CUDA (sized_table())

  /// True if a round's tables stay until the next one.
  bool stays() const { return tiles == 1; }
  /// Bytes of the tiles of the largest block.
  std::int64_t block_bytes(ElementType type) const;
  /// Slots on disk for the table of a probe.
  std::int64_t probe_slots() const;
  /// Slots on disk for the table of the search's end, if it has an array of its own.
  std::int64_t end_slots() const { return stays() ? 0 : tiles; }
  /// Bytes on disk of all arrays.
  double disk_bytes(ElementType type, std::int64_t probes) const;
};

/// The cuts of a table that a search may use, from the coarsest to the finest.
std::vector<dp_table::Cut> cuts_of(const RoundedJobs& jobs);

/// Bytes that come to a memory and leave it while a table is made.
struct TableTraffic {
  double up = 0, down = 0;
};
/// The traffic of a memory of `budget` bytes. If it does not hold the tiles that are needed at a time, each one
/// leaves it once, and a block takes back what the block before it did not have.
/// @param tile_cells of a tile of the table's array
TableTraffic table_traffic(const dp_table::Table& table, std::int64_t tile_cells, std::size_t budget);
/// True if memory holds two blocks of a table: then tiles are moved while others are made, else before and after.
/// @param workspace bytes that kernels need in addition, on a device of its own
bool moves_beside(const dp_table::Table& table, std::int64_t tile_cells, std::int64_t workspace,
                  const Resources& resources);

/// The coarsest of them with at most `tile_cells` cells a tile; nullopt if there is none.
std::optional<dp_table::Cut> cut_of(const RoundedJobs& jobs, std::int64_t tile_cells);

/// Number of different configurations of the first `dimensions` sizes, the empty one not among them, up to `most`.
std::int64_t configurations(const Extents& extents, const std::vector<std::int64_t>& sizes, int dimensions,
                            std::int64_t target, std::int64_t most);

/// The tables that a search may ask for.
struct SearchTables {
  const Rounding& rounding;
  std::int64_t lower, upper;  // of the targets
  ElementType type;
  std::int64_t machines, probes;
};

/// A cut, or the reason why there is none.
struct CutChoice {
  std::optional<SearchCut> cut;
  std::string fault;
  std::int64_t workspace = 0;  // bytes that kernels need in addition for a round's tables, on a device of its own
  std::optional<BlockMemory> least = {};  // of a block of a cut that the disk holds, if memory holds none
};

/// Chooses single tiles if the memory and the disk hold them, else the tiles that take the least time among those of
/// which they hold a block. If memory holds two blocks, tiles are moved while others are made.
CutChoice choose_search_cut(const SearchTables& tables, const Resources& resources);

}  // namespace terrace::stages
