#include "stages/dp_table/cut.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

/// Bytes of a tile and, if they are kept, of the choices of its cells.
std::int64_t written_bytes(const dp_table::Table& table, bool choice) {
  const std::int64_t cells = volume(dp_table::Tiles(table).shape());
  return whole_pages(cells * static_cast<std::int64_t>(size_of(table.type))) + (choice ? whole_pages(cells * 4) : 0);
}

/// True if a block would read more runs of rows than its descriptor has room for.
bool has_too_many_sources(const dp_table::Table& table) {
  return table.order == dp_table::Order::ordered &&
         dp_table::sources_of(table).size() > static_cast<std::size_t>(dp_table::most_sources);
}

BlockMemory memory_of(const dp_table::Table& table, bool choice,
                      const std::function<std::int64_t(const dp_table::Table&)>& workspace) {
  return {table_block_bytes(table, choice), workspace(table), written_bytes(table, choice)};
}

}  // namespace

std::vector<dp_table::Cut> table_cuts(const Extents& extents) {
  std::vector<dp_table::Cut> cuts;
  for (int whole = 0; whole < extents.rank(); ++whole) {
    std::int64_t rows = extents[whole];
    // A dimension's single rows are the next one's whole extent.
    while (rows > 1 || whole + 1 == extents.rank() || cuts.empty()) {
      cuts.push_back({whole, rows});
      if (rows == 1) break;
      rows = (rows + 1) / 2;
    }
  }
  return cuts;
}

std::int64_t table_block_bytes(const dp_table::Table& table, bool choice) {
  const auto element = static_cast<std::int64_t>(size_of(table.type));
  const dp_table::Tiles tiles(table);
  const std::int64_t cells = volume(tiles.shape()), row = tiles.row_cells();
  std::int64_t bytes = written_bytes(table, choice);
  if (tiles.count() == 1) return bytes;
  // The tiles of which a block reads parts pass through.
  bytes += 2 * whole_pages(cells * element);
  // One step leads to no more rows than a tile has.
  if (table.order == dp_table::Order::unordered) return bytes + whole_pages(cells * element);
  const std::int64_t rows = cells / row, extent = table.extents[table.cut.whole];
  bool own = true;
  for (const dp_table::SourceRange& source : dp_table::sources_of(table)) {
    const std::int64_t most = std::min(extent, source.reach + (own ? 0 : rows));
    bytes += whole_pages(most * row * element);
    own = false;
  }
  return bytes;
}

bool holds_table_cut(const dp_table::Table& table, bool choice, const Resources& resources,
                     const std::function<std::int64_t(const dp_table::Table&)>& workspace) {
  // The workspace takes the longest to find.
  const auto none = [](const dp_table::Table&) { return std::int64_t{0}; };
  return !has_too_many_sources(table) && holds(resources, memory_of(table, choice, none)) &&
         holds(resources, memory_of(table, choice, workspace));
}

void choose_table_cut(dp_table::Table& table, bool choice, const Resources& resources,
                      const std::function<std::int64_t(const dp_table::Table&)>& workspace) {
  std::optional<BlockMemory> least;
  for (const dp_table::Cut& cut : table_cuts(table.extents)) {
    table.cut = cut;
    if (has_too_many_sources(table)) continue;
    const BlockMemory memory = memory_of(table, choice, workspace);
    if (holds(resources, memory)) return;
    if (!least || memory.block + memory.workspace < least->block + least->workspace) least = memory;
  }
  refuse_budgets(resources, least.value());
}

}  // namespace terrace::stages
