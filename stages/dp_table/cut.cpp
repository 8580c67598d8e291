#include "stages/dp_table/cut.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t page = 4096;

std::int64_t in_pages(std::int64_t bytes) { return (bytes + page - 1) / page * page; }

std::int64_t tile_cells(const dp_table::Table& table) { return volume(dp_table::Tiles(table).shape()); }

/// The cuts of a table from the coarsest to the finest: rows of a dimension are halved until they are single ones,
/// then those of the next.
std::vector<dp_table::Cut> cuts_of(const Extents& extents) {
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

}  // namespace

std::int64_t table_block_bytes(const dp_table::Table& table, bool choice) {
  const auto element = static_cast<std::int64_t>(size_of(table.type));
  const dp_table::Tiles tiles(table);
  const std::int64_t cells = tile_cells(table), row = tiles.row_cells();
  std::int64_t bytes = in_pages(cells * element) + (choice ? in_pages(cells * 4) : 0);
  if (tiles.count() == 1) return bytes;
  const std::int64_t rows = cells / row, extent = table.extents[table.cut.whole];
  bool own = true;
  for (const dp_table::SourceRange& source : dp_table::sources_of(table)) {
    const std::int64_t most = std::min(extent, source.reach + (own ? 0 : rows));
    bytes += in_pages(most * row * element);
    own = false;
  }
  // The tiles of which these are parts pass through.
  return bytes + 2 * in_pages(cells * element);
}

void choose_table_cut(dp_table::Table& table, bool choice, const Resources& resources,
                      const std::function<std::int64_t(const dp_table::Table&)>& workspace) {
  const auto device = static_cast<std::int64_t>(resources.device_budget);
  const auto host = static_cast<std::int64_t>(resources.host_budget);
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), least_workspace = 0;
  const auto element = static_cast<std::int64_t>(size_of(table.type));
  for (const dp_table::Cut& cut : cuts_of(table.extents)) {
    table.cut = cut;
    if (dp_table::sources_of(table).size() > static_cast<std::size_t>(dp_table::most_sources)) continue;
    const std::int64_t bytes = table_block_bytes(table, choice) + page, beside = workspace(table);
    // On a device of its own a tile and its choices pass through host memory.
    const std::int64_t through = 2 * (in_pages(tile_cells(table) * element) + (choice ? tile_cells(table) * 4 : 0));
    const bool fits = resources.cuda ? bytes + beside <= device && through <= host : bytes <= std::min(device, host);
    if (fits) return;
    if (bytes + beside < least + least_workspace) least = bytes, least_workspace = beside;
  }
  refuse_budgets(resources, least, least_workspace);
}

}  // namespace terrace::stages
