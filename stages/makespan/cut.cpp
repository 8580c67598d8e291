#include "stages/makespan/cut.hpp"

#include <algorithm>
#include <limits>

#include "kernels/dp_table/kernels.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/base/units.hpp"
#include "stages/block_memory.hpp"

namespace terrace::stages {
namespace {

constexpr std::size_t most_targets = 20'000;  // that a cut into several tiles is tried with
constexpr int cuts_tried = 3;
constexpr double less_disk = 0.6;  // that smaller tiles must save to be chosen

std::int64_t tile_bytes(const SearchCut& cut, ElementType type) {
  return whole_pages(cut.tile_cells * static_cast<std::int64_t>(size_of(type)));
}

/// The memory and the disk space for tables.
struct Space {
  const SearchTables& tables;
  const Resources& resources;
  std::int64_t workspace;

  bool in_memory(const SearchCut& cut) const {
    return holds(resources, {cut.block_bytes(tables.type), workspace, tile_bytes(cut, tables.type)});
  }
  bool on_disk(const SearchCut& cut) const {
    return cut.disk_bytes(tables.type, tables.probes) <= static_cast<double>(resources.scratch_space);
  }
};

std::int64_t configurations_from(const Extents& extents, const std::vector<std::int64_t>& sizes, int dimension,
                                 int dimensions, std::int64_t room, std::int64_t most) {
  if (dimension == dimensions) return 1;
  const std::int64_t size = sizes[static_cast<std::size_t>(dimension)];
  std::int64_t count = 0;
  for (std::int64_t jobs = 0; jobs < extents[dimension] && count < most; ++jobs) {
    if (size > 0 && jobs > room / size) break;
    count += configurations_from(extents, sizes, dimension + 1, dimensions, room - jobs * size, most - count);
  }
  return count;
}

/// The number of the last tile that reads the first one, of a table whose first `dimensions` dimensions are cut: the
/// configuration that is the last in lexicographic order.
std::int64_t farthest_reader(const Extents& extents, const std::vector<std::int64_t>& sizes, int dimensions,
                             std::int64_t target) {
  std::int64_t tile = 0, room = target;
  for (int d = 0; d < dimensions; ++d) {
    const std::int64_t size = sizes[static_cast<std::size_t>(d)];
    const std::int64_t jobs = size == 0 ? extents[d] - 1 : std::min(extents[d] - 1, room / size);
    room -= jobs * size;
    tile = tile * extents[d] + jobs;
  }
  return tile;
}

/// The cut with tiles of that many cells, as the tables of all targets need it; nullopt if there is none.
std::optional<SearchCut> cut_with(const SearchTables& tables, std::int64_t tile_cells) {
  SearchCut cut{tile_cells, 1, 0, 1};
  const std::vector<std::int64_t> targets = tables.rounding.changes(tables.lower, tables.upper, most_targets);
  for (std::size_t n = 0; n < targets.size(); ++n) {
    if (tables.rounding.size(targets[n]).cells <= static_cast<double>(tile_cells)) continue;
    const RoundedJobs jobs = tables.rounding.jobs(targets[n]);
    const Extents extents = jobs.extents();
    const int dimensions = dimensions_cut(extents, tile_cells);
    if (dimensions == extents.rank()) return std::nullopt;
    // Up to the next change only more configurations fit.
    const std::int64_t last = n + 1 < targets.size() ? targets[n + 1] - 1 : tables.upper;
    const std::int64_t sources = configurations(extents, jobs.sizes, dimensions, last, dp_table::most_sources);
    if (sources >= dp_table::most_sources) return std::nullopt;
    std::int64_t tiles = 1;
    for (int d = 0; d < dimensions; ++d) tiles *= extents[d];
    cut.tiles = std::max(cut.tiles, tiles);
    cut.sources = std::max(cut.sources, sources);
    cut.live = std::max(cut.live, std::min(tiles, farthest_reader(extents, jobs.sizes, dimensions, last) + 1));
  }
  return cut;
}

/// Cells of the largest tile of all tables whose first d dimensions are cut, for d = 0, 1, ...
std::vector<std::int64_t> tile_cells_by_cut(const SearchTables& tables) {
  std::vector<std::int64_t> most;
  for (const std::int64_t target : tables.rounding.changes(tables.lower, tables.upper, most_targets)) {
    const Extents extents = tables.rounding.jobs(target).extents();
    most.resize(std::max(most.size(), static_cast<std::size_t>(extents.rank())), 1);
    std::int64_t cells = 1;
    for (int d = extents.rank() - 1; d >= 0; --d) {
      cells *= extents[d];
      most[static_cast<std::size_t>(d)] = std::max(most[static_cast<std::size_t>(d)], cells);
    }
  }
  return most;
}

/// The coarsest cut into tiles of less than `cells` cells that the memory holds, or one with much less disk
/// space; nullopt if none fits.
std::optional<SearchCut> cut_into_tiles(const SearchTables& tables, const Space& space, std::int64_t cells) {
  std::optional<SearchCut> best;
  double least = std::numeric_limits<double>::infinity();
  int tried = 0;
  for (const std::int64_t tile : tile_cells_by_cut(tables)) {
    if (tried == cuts_tried) break;
    if (tile >= cells || !space.in_memory({tile, 1, 1, 1})) continue;
    const std::optional<SearchCut> cut = cut_with(tables, tile);
    if (!cut || !space.in_memory(*cut)) continue;
    ++tried;
    const double needed = cut->disk_bytes(tables.type, tables.probes);
    if (!space.on_disk(*cut) || needed >= less_disk * least) continue;
    least = needed;
    best = cut;
  }
  return best;
}

/// The reason why the largest table cannot be made at all; empty: it can.
std::string fault_of(const SearchTables& tables, const Rounding::Largest& largest, std::int64_t scratch) {
  if (largest.dimensions.dimensions > dp_table::most_dimensions) {
    return "for the target " + std::to_string(largest.dimensions.target) + " jobs have more than " +
           std::to_string(dp_table::most_dimensions) + " sizes";
  }
  const double bytes = largest.cells.cells * static_cast<double>(size_of(tables.type));
  if (bytes <= static_cast<double>(scratch)) return "";
  return "the table for the target " + std::to_string(largest.cells.target) + " needs " + format_size(bytes) +
         " of scratch space, and there are " + format_size(static_cast<double>(scratch));
}

}  // namespace

std::int64_t SearchCut::block_bytes(ElementType type) const { return (1 + sources) * tile_bytes(*this, type); }

/// The table of the last cut's round and that of this one; or what is needed of them.
std::int64_t SearchCut::probe_slots() const { return stays() ? 2 : std::min(2 * tiles, slots_of_dropped(live)); }

double SearchCut::disk_bytes(ElementType type, std::int64_t probes) const {
  const double slots =
      static_cast<double>(probes) * static_cast<double>(probe_slots()) + static_cast<double>(end_slots());
  // Each file has a page more.
  return slots * static_cast<double>(tile_bytes(*this, type)) + static_cast<double>((probes + 1) * page_bytes);
}

int dimensions_cut(const Extents& extents, std::int64_t tile_cells) {
  int dimensions = extents.rank();
  std::int64_t cells = 1;
  while (dimensions > 0 && extents[dimensions - 1] <= tile_cells / cells) cells *= extents[--dimensions];
  return dimensions;
}

std::int64_t configurations(const Extents& extents, const std::vector<std::int64_t>& sizes, int dimensions,
                            std::int64_t target, std::int64_t most) {
  return configurations_from(extents, sizes, 0, dimensions, target, most + 1) - 1;
}

CutChoice choose_search_cut(const SearchTables& tables, const Resources& resources) {
  CutChoice choice;
  const Rounding& rounding = tables.rounding;
  const auto largest = rounding.largest(tables.lower, tables.upper);
  choice.fault = fault_of(tables, largest, resources.scratch_space);
  if (!choice.fault.empty()) return choice;
  if (largest.cells.dimensions == 0) {
    choice.cut = SearchCut{};
    return choice;
  }
  const std::int64_t target = largest.cells.target;
  const std::string table = "the table for the target " + std::to_string(target);
  const RoundedJobs jobs = rounding.jobs(target);
  auto made = table_of(jobs, target, tables.type, tables.machines);
  if (!made) {
    choice.fault = table + " has more than " + std::to_string(dp_table::most_steps) + " configurations of a machine";
    return choice;
  }
  choice.largest = *std::move(made);
  if (resources.cuda) {
    const std::vector<dp_table::Table> all(static_cast<std::size_t>(tables.probes), choice.largest);
    choice.workspace = static_cast<std::int64_t>(dp_table::tables_cuda_bytes(all));
  }
  const Space space{tables, resources, choice.workspace};
  const std::int64_t cells = volume(choice.largest.extents);
  const SearchCut whole{cells, 1, 0, 1};
  if (space.in_memory(whole) && space.on_disk(whole)) choice.cut = whole;
  else choice.cut = cut_into_tiles(tables, space, cells);
  if (choice.cut) return choice;
  choice.fault = table + ", " + to_string(choice.largest.extents) + " cells, has no tiles that ";
  choice.fault += "the budgets of memory and of scratch space hold, for " + std::to_string(tables.probes) + " probes";
  return choice;
}

}  // namespace terrace::stages
