#include "stages/makespan/cut.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "kernels/dp_table/kernels.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/run/expected_time.hpp"
#include "stages/block_memory.hpp"
#include "stages/dp_table/seconds.hpp"

namespace terrace::stages {
namespace {

constexpr std::size_t most_targets = 20'000;  // that a cut into several tiles is tried with
constexpr double apart = 1.05;                // least quotient of sizes of tiles that are tried
constexpr std::int64_t most_smaller = 16;     // quotient of the largest and the smallest of those that fit

std::int64_t tile_bytes(const SearchCut& cut, ElementType type) {
  return whole_pages(cut.tile_cells * static_cast<std::int64_t>(size_of(type)));
}

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

/// True if memory holds a block.
bool is_held(const SearchCut& cut, ElementType type, const Resources& resources, std::int64_t workspace) {
  return holds(resources, {cut.block_bytes(type), workspace, tile_bytes(cut, type)});
}

/// The tiles of a block of a table, and those of the block after it that it does not have.
std::int64_t tiles_of_two_blocks(const dp_table::Table& table) {
  const auto sources = dp_table::sources_of(table);
  const bool in_ranges = dp_table::Tiles(table).ranges() > 1;
  // A block has its own tile, of each other source the tile of its range, and tiles of the range before it.
  std::int64_t tiles = std::ssize(sources);
  if (in_ranges) tiles += std::ranges::count_if(sources, [](const auto& source) { return source.reach > 0; });
  // The next block is a range further, or an index.
  const auto is_new = [&](const auto& source) {
    return in_ranges || source.prefix.empty() || source.prefix.back() == 0;
  };
  return tiles + std::ranges::count_if(sources, is_new);
}

/// True if memory holds so many tiles.
bool are_held(std::int64_t tiles, std::int64_t tile_bytes, std::int64_t workspace, const Resources& resources) {
  return holds(resources, {tiles * tile_bytes, workspace, tile_bytes});
}

bool has_slots(const SearchCut& cut, const SearchTables& tables, const Resources& resources) {
  return cut.disk_bytes(tables.type, tables.probes) <= static_cast<double>(resources.scratch_space);
}

/// Bytes of a device for a round of tables like this one.
std::int64_t round_workspace(const dp_table::Table& table, const SearchTables& tables, const Resources& resources) {
  return resources.cuda ? tables.probes * static_cast<std::int64_t>(dp_table::tables_cuda_bytes({table})) : 0;
}

std::int64_t cells_of_tile(const Extents& extents, const dp_table::Cut& cut) {
  std::int64_t cells = cut.rows;
  for (int d = cut.whole + 1; d < extents.rank(); ++d) cells *= extents[d];
  return cells;
}

/// The needs of a table with a cut.
struct TableNeeds {
  std::int64_t tile_cells, tiles, sources, live;  // as those of SearchCut
};

/// The needs of a target's table from the coarsest cut to the finest, as far as a block's sources permit.
struct NeedsOfTarget {
  std::int64_t target;
  std::vector<TableNeeds> by_cut;

  /// The needs of the coarsest cut into tiles of at most so many cells; null: there is none.
  const TableNeeds* with(std::int64_t tile_cells) const {
    const auto fits = [&](const TableNeeds& needs) { return needs.tile_cells <= tile_cells; };
    const auto found = std::find_if(by_cut.begin(), by_cut.end(), fits);
    return found == by_cut.end() ? nullptr : &*found;
  }
};

/// @param last target with that table: up to it only more configurations fit
NeedsOfTarget needs_of(const RoundedJobs& jobs, std::int64_t target, std::int64_t last) {
  const Extents extents = jobs.extents();
  const auto prefixes = [&](const Extents& of, int dimensions) {
    return configurations(of, jobs.sizes, dimensions, last, 2 * std::int64_t{dp_table::most_sources});
  };
  NeedsOfTarget needs{target, {}};
  for (const dp_table::Cut& cut : cuts_of(jobs)) {
    const std::int64_t others = prefixes(extents, cut.whole);
    if (others >= dp_table::most_sources) break;
    const std::int64_t ranges = ceiling(extents[cut.whole], cut.rows);
    std::int64_t tiles = ranges;
    for (int d = 0; d < cut.whole; ++d) tiles *= extents[d];
    const std::int64_t farthest = farthest_reader(extents, jobs.sizes, cut.whole, last) * ranges;
    TableNeeds made{cells_of_tile(extents, cut), tiles, others, std::min(tiles, farthest + 1)};
    if (ranges > 1) {
      Extents single = extents;
      single[cut.whole] = 2;
      made.sources += prefixes(single, cut.whole + 1) - others;  // those of which rows before are read
      made.live = std::min(tiles, farthest + 2);
    }
    needs.by_cut.push_back(made);
  }
  return needs;
}

/// Chooses a cut into tiles.
class TileChoice {
 public:
  TileChoice(const SearchTables& tables, std::int64_t largest, const Resources& resources)
      : tables_(tables), resources_(resources), largest_(largest) {
    const std::vector<std::int64_t> targets = tables.rounding.changes(tables.lower, tables.upper, most_targets);
    for (std::size_t n = 0; n < targets.size(); ++n) {
      const std::int64_t last = n + 1 < targets.size() ? targets[n + 1] - 1 : tables.upper;
      needs_.push_back(needs_of(tables.rounding.jobs(targets[n]), targets[n], last));
    }
  }

  /// The cut of the least time among those that memory and disk hold, of equal ones that into the smallest tiles.
  /// nullopt: none fits.
  /// @param workspace becomes the bytes that kernels need with it
  std::optional<SearchCut> best(std::int64_t& workspace) {
    std::optional<SearchCut> best;
    double least = 0;
    std::int64_t largest = 0;
    for (const std::int64_t tile_cells : tile_sizes()) {
      if (tile_cells < largest / most_smaller) break;
      const std::optional<SearchCut> cut = cut_with(tile_cells);
      if (!cut || !on_disk(*cut) || !in_memory(*cut, 0)) continue;
      const std::int64_t bytes = workspace_of(*cut);
      if (!in_memory(*cut, bytes)) continue;
      largest = std::max(largest, tile_cells);
      const double time = time_of(*cut, bytes);
      if (best && time > least) continue;
      best = cut, least = time, workspace = bytes;
    }
    return best;
  }

  /// The least memory of a block of any cut that the disk holds; nullopt: there is no such cut.
  std::optional<BlockMemory> least() {
    std::optional<BlockMemory> least;
    for (const std::int64_t tile_cells : tile_sizes()) {
      const std::optional<SearchCut> cut = cut_with(tile_cells);
      if (!cut || !on_disk(*cut)) continue;
      const BlockMemory memory{cut->block_bytes(tables_.type), workspace_of(*cut), tile_bytes(*cut, tables_.type)};
      if (!least || memory.block + memory.workspace < least->block + least->workspace) least = memory;
    }
    return least;
  }

 private:
  /// Falling sizes of tiles, of those that tables have.
  std::vector<std::int64_t> tile_sizes() const {
    std::vector<std::int64_t> all, sizes;
    for (const NeedsOfTarget& target : needs_) {
      for (const TableNeeds& needs : target.by_cut) all.push_back(needs.tile_cells);
    }
    std::sort(all.begin(), all.end(), std::greater<>());
    // Between two sizes the tables of some targets are cut further, for hardly less memory.
    for (const std::int64_t cells : all) {
      if (sizes.empty() || static_cast<double>(sizes.back()) > apart * static_cast<double>(cells))
        sizes.push_back(cells);
    }
    return sizes;
  }

  /// The cut with tiles of that many cells, as the tables of all targets need it; nullopt if there is none.
  std::optional<SearchCut> cut_with(std::int64_t tile_cells) const {
    SearchCut cut{tile_cells};
    cut.ordered = resources_.cuda;
    for (const NeedsOfTarget& target : needs_) {
      const TableNeeds* needs = target.with(tile_cells);
      if (needs == nullptr) return std::nullopt;
      cut.tiles = std::max(cut.tiles, needs->tiles);
      cut.sources = std::max(cut.sources, needs->sources);
      cut.live = std::max(cut.live, needs->live);
    }
    return cut;
  }

  bool in_memory(const SearchCut& cut, std::int64_t workspace) const {
    return is_held(cut, tables_.type, resources_, workspace);
  }
  bool on_disk(const SearchCut& cut) const { return has_slots(cut, tables_, resources_); }

  /// The expected time of the largest table: in seconds, or in tiles where memory is shared with the host.
  double time_of(const SearchCut& cut, std::int64_t workspace) {
    const Tried& tried = with(largest_, cut);
    if (!resources_.cuda || tried.seconds <= 0) return static_cast<double>(cut.tiles);
    const double moving = std::max(tried.traffic.up, tried.traffic.down) / run::assumed_link_bytes_per_second;
    const bool beside = are_held(tried.two_blocks, tile_bytes(cut, tables_.type), workspace, resources_);
    return beside ? std::max(tried.seconds, moving) : tried.seconds + moving;
  }

  /// Bytes of a device for a round of tables like the largest one, or like that with the largest tiles.
  std::int64_t workspace_of(const SearchCut& cut) {
    const auto cells = [&](const NeedsOfTarget& target) { return target.with(cut.tile_cells)->tile_cells; };
    const auto widest = std::max_element(needs_.begin(), needs_.end(),
                                         [&](const auto& a, const auto& b) { return cells(a) < cells(b); });
    return std::max(with(largest_, cut).workspace, with(widest->target, cut).workspace);
  }

  /// Memory and times of a cut of a target's table.
  struct Tried {
    std::int64_t workspace = 0, two_blocks = 0;  // bytes; tiles
    double seconds = 0;
    TableTraffic traffic;  // of the device
  };
  const Tried& with(std::int64_t target, const SearchCut& cut) {
    const RoundedJobs jobs = tables_.rounding.jobs(target);
    const std::optional<dp_table::Cut> made = cut_of(jobs, cut.tile_cells);
    const auto [place, is_new] = tried_.try_emplace({target, made->whole, made->rows});
    if (!is_new) return place->second;
    const auto sized = sized_table(jobs, target, tables_.type, tables_.machines, *made, cut.ordered);
    if (!sized) return place->second;  // the search refuses it when it comes to it
    Tried& tried = place->second;
    tried.workspace = round_workspace(sized->table, tables_, resources_);
    tried.seconds = table_seconds(sized->table, false, resources_);
    tried.traffic = table_traffic(sized->table, cut.tile_cells, resources_.device_budget);
    tried.two_blocks = tiles_of_two_blocks(sized->table);
    return tried;
  }

  const SearchTables& tables_;
  const Resources& resources_;
  std::int64_t largest_;  // the target with the most cells
  std::vector<NeedsOfTarget> needs_;
  std::map<std::tuple<std::int64_t, int, std::int64_t>, Tried> tried_;  // by target and cut
};

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

TableTraffic table_traffic(const dp_table::Table& table, std::int64_t tile_cells, std::size_t budget) {
  const auto sources = dp_table::sources_of(table);
  const dp_table::Tiles tiles(table);
  const auto element = static_cast<double>(size_of(table.type));
  const double live = static_cast<double>(tiles.most_live(sources) * tile_cells) * element;
  if (live <= static_cast<double>(budget)) return {};
  const bool in_ranges = tiles.ranges() > 1;
  const auto brought = std::count_if(sources.begin() + 1, sources.end(), [&](const dp_table::SourceRange& source) {
    return in_ranges || source.prefix.back() == 0;
  });
  const double bytes = static_cast<double>(volume(table.extents)) * element;
  return {bytes * static_cast<double>(brought), bytes};
}

bool moves_beside(const dp_table::Table& table, std::int64_t tile_cells, std::int64_t workspace,
                  const Resources& resources) {
  const SearchCut cut{tile_cells};
  return are_held(tiles_of_two_blocks(table), tile_bytes(cut, table.type), workspace, resources);
}

std::vector<dp_table::Cut> cuts_of(const RoundedJobs& jobs) {
  const Extents extents = jobs.extents();
  std::vector<dp_table::Cut> cuts;
  for (int whole = 0; whole < extents.rank(); ++whole) {
    const std::int64_t extent = extents[whole], size = jobs.sizes[static_cast<std::size_t>(whole)];
    const std::int64_t longest = size == 0 ? extent - 1 : std::min(extent - 1, jobs.last / size);
    for (std::int64_t ranges = 1;; ranges += std::max<std::int64_t>(1, ranges / 4)) {
      const std::int64_t rows = ceiling(extent, ranges);
      // Single rows are the next dimension's cut.
      if (ranges > 1 && rows < std::max<std::int64_t>(2, longest)) break;
      if (cuts.empty() || cuts.back().whole != whole || cuts.back().rows != rows) cuts.push_back({whole, rows});
    }
  }
  return cuts;
}

std::optional<dp_table::Cut> cut_of(const RoundedJobs& jobs, std::int64_t tile_cells) {
  const Extents extents = jobs.extents();
  for (const dp_table::Cut& cut : cuts_of(jobs)) {
    if (cells_of_tile(extents, cut) <= tile_cells) return cut;
  }
  return std::nullopt;
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
  const auto made = sized_table(jobs, target, tables.type, tables.machines, {0, jobs.extents()[0]}, resources.cuda);
  if (!made) {
    choice.fault = table + " has more than " + std::to_string(dp_table::most_steps) + " configurations of a machine";
    return choice;
  }
  const std::int64_t workspace = round_workspace(made->table, tables, resources);
  SearchCut whole{volume(made->table.extents)};
  whole.ordered = resources.cuda;
  if (is_held(whole, tables.type, resources, workspace) && has_slots(whole, tables, resources)) {
    choice.cut = whole;
    choice.workspace = workspace;
  } else {
    TileChoice tiles(tables, target, resources);
    choice.cut = tiles.best(choice.workspace);
    if (!choice.cut) choice.least = tiles.least();
  }
  if (choice.cut) return choice;
  choice.fault = table + ", " + to_string(jobs.extents()) + " cells, has no tiles that ";
  choice.fault += "the budgets of memory and of scratch space hold, for " + std::to_string(tables.probes) + " probes";
  return choice;
}

}  // namespace terrace::stages
