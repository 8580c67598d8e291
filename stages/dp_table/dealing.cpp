#include "stages/dp_table/dealing.hpp"

#include <algorithm>
#include <vector>

#include "pipeline/base/rounding.hpp"
#include "stages/block_levels.hpp"
#include "stages/dp_table/cut.hpp"
#include "stages/dp_table/measured.hpp"
#include "stages/dp_table/seconds.hpp"

namespace terrace::stages {
namespace {

using dp_table::Table;
using measured::DealtBlocks;
using Sizes = measured::DealtTables;

bool is_by_steps(const Table& table) { return table.order == dp_table::Order::unordered; }

double steps_of(const Table& table) { return static_cast<double>(std::max<std::int64_t>(1, table.steps.count())); }

double cells_in(const Table& table) { return static_cast<double>(*dp_table::cells_of(table.extents)); }

/// Expected seconds of a table on one device, no faster than the device's ceiling.
double one_device_seconds(const Table& table, bool choice, const Resources& resources) {
  const double ceiling = resources.device.operations_per_second * 4 / static_cast<double>(size_of(table.type));
  const double least = ceiling > 0 ? cells_in(table) * steps_of(table) / ceiling : 0;
  return std::max(table_seconds(table, choice, resources), least);
}

/// Blocks that a device computes one after another until the last device ends.
double rounds_of(const Table& table, std::int64_t devices) {
  if (!is_by_steps(table)) return static_cast<double>(BlockLevels(tile_places(table)).rounds(devices));
  // A device begins when the one before it has taken the first step over all of its tiles.
  const double own = static_cast<double>(ceiling(dp_table::Tiles(table).count(), devices));
  return own * (steps_of(table) + static_cast<double>(devices - 1));
}

/// Bytes that a block reads of tiles of other devices; the last tile, to which every step leads, stands for all.
double foreign_bytes(const Table& table, std::int64_t devices) {
  const dp_table::Tiles tiles(table);
  const auto element = static_cast<double>(size_of(table.type));
  const double others = static_cast<double>(devices - 1) / static_cast<double>(devices);
  if (is_by_steps(table)) return others * static_cast<double>(volume(tiles.shape())) * element;
  double cells = 0;
  bool own = true;
  for (const dp_table::SourceRange& source : dp_table::sources_of(table)) {
    cells += static_cast<double>(volume(tiles.read(tiles.count() - 1, source, own).shape()));
    own = false;
  }
  return others * cells * element;
}

/// The time of a table in these blocks if each takes the same part of `seconds`.
double seconds_of(const Table& table, std::int64_t devices, double seconds) {
  const double passes = is_by_steps(table) ? steps_of(table) : 1;
  const double block = seconds / passes / static_cast<double>(dp_table::Tiles(table).count());
  const double moving = foreign_bytes(table, devices) / DealtBlocks::peer_bytes_per_second;
  return rounds_of(table, devices) * (std::max(block, moving) + DealtBlocks::hand_on_seconds);
}

/// The cuts to try for so many devices, from the coarsest to the finest in each dimension.
std::vector<dp_table::Cut> cuts_for(const Extents& extents, std::int64_t devices) {
  std::vector<dp_table::Cut> cuts;
  for (int whole = 0; whole < extents.rank(); ++whole) {
    std::int64_t before = 0;
    for (const std::int64_t ranges : {std::int64_t{1}, devices, 2 * devices, 4 * devices, 8 * devices}) {
      const std::int64_t rows = ceiling(extents[whole], ranges);
      if (rows != before) cuts.push_back({whole, rows});
      before = rows;
    }
  }
  return cuts;
}

/// True if so many devices can have tiles of the table.
bool can_be_shared(const Table& table, std::int64_t devices) {
  const std::int64_t tiles = dp_table::Tiles(table).count();
  // One device waits with a tile's next step until those behind it have read the last one.
  return tiles >= devices * (is_by_steps(table) ? 2 : 1) && tiles <= Sizes::most_tiles;
}

/// A cut for so many devices, and the seconds that it takes if a finer cut makes no cell slower: it never takes less.
struct Candidate {
  std::int64_t devices;
  dp_table::Cut cut;
  double bound;
};

/// Those whose bound is below `least`, from the least bound on: few of them need be looked at, which takes long.
std::vector<Candidate> candidates_below(double least, double alone, const Table& table, std::int64_t devices) {
  std::vector<Candidate> all;
  for (std::int64_t used = 2; used <= devices; ++used) {
    for (const dp_table::Cut& cut : cuts_for(table.extents, used)) {
      Table tried = table;
      tried.cut = cut;
      if (!can_be_shared(tried, used)) continue;
      const double bound = seconds_of(tried, used, alone);
      if (bound < least) all.push_back({used, cut, bound});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bound < b.bound; });
  return all;
}

}  // namespace

std::vector<std::int64_t> tile_places(const Table& table) {
  std::vector<std::int64_t> places(table.extents.begin(), table.extents.begin() + table.cut.whole);
  places.push_back(dp_table::Tiles(table).ranges());
  return places;
}

bool is_large_table(const Settings& settings) {
  if (settings.has("each") || settings.text("schedule") != "auto") return false;
  double cells = 1;
  for (const std::int64_t extent : settings.get<std::vector<std::int64_t>>("extents")) {
    cells *= static_cast<double>(extent);
  }
  return cells >= Sizes::least_cells;
}

double dealt_table_seconds(const Table& table, bool choice, const Resources& resources, std::int64_t devices) {
  return seconds_of(table, devices, one_device_seconds(table, choice, resources));
}

Dealing deal_table_tiles(Table& table, bool choice, const Resources& resources,
                         const std::function<std::int64_t(const Table&)>& workspace) {
  if (!resources.cuda || resources.devices <= 1 || cells_in(table) == 0) return {};
  if (table.schedule != dp_table::Schedule::automatic)
    return {1, "a schedule that a paper describes is of one device"};
  const double alone = one_device_seconds(table, choice, resources);
  double least = alone / DealtBlocks::least_gain;
  Dealing dealing{1, "a level of so small a table is made before another device has what it reads"};
  Table best = table;
  int looked_at = 0;
  for (const Candidate& candidate : candidates_below(least, alone, table, resources.devices)) {
    if (candidate.bound >= least || looked_at == Sizes::most_looked_at) break;
    Table tried = table;
    tried.cut = candidate.cut;
    if (!holds_table_cut(tried, choice, resources, workspace)) {
      if (dealing.devices == 1) dealing.why_not = "what tiles read of other devices does not fit in memory";
      continue;
    }
    ++looked_at;
    const double seconds = dealt_table_seconds(tried, choice, resources, candidate.devices);
    if (seconds >= least) continue;
    least = seconds;
    best = tried;
    dealing = {candidate.devices, ""};
  }
  table = best;
  return dealing;
}

}  // namespace terrace::stages
