#include "stages/makespan/tables.hpp"

#include <algorithm>
#include <string>

#include "pipeline/base/error.hpp"

namespace terrace::stages {
namespace {

constexpr std::size_t most_kept = 4;  // rounds

}  // namespace

ProbeTable::Place ProbeTable::place_of(std::int64_t cell) const {
  Extents index = Extents::filled(sized.table.extents.rank(), 0);
  const Extents strides = row_major_strides(sized.table.extents);
  std::int64_t rest = cell, begin = 0;
  for (int d = 0; d < index.rank(); ++d) index[d] = rest / strides[d], rest %= strides[d];
  const std::int64_t tile = tiles.tile_of(index);
  const Box box = tiles.box(tile);
  for (int d = 0; d < index.rank(); ++d) begin += box.begin[d] * strides[d];
  return {tile, cell - begin};
}

const ProbeTable& RoundTables::of_block(std::int64_t index) const {
  auto after = std::upper_bound(probes.begin(), probes.end(), index,
                                [](std::int64_t at, const ProbeTable& probe) { return at < probe.first_block; });
  return *std::prev(after);
}

TablesOfSearch::TablesOfSearch(SearchDefinition definition)
    : definition_(std::move(definition)), rounding_(definition_.instance, definition_.k) {}

std::int64_t TablesOfSearch::tables_of(const TargetSearch& search) const {
  const auto& targets = search.targets();
  const auto first_short =
      std::find_if(targets.begin(), targets.end(), [&](std::int64_t target) { return rounding_.all_short(target); });
  return first_short - targets.begin();
}

TargetSearch TablesOfSearch::search(const Outcomes& outcomes) const {
  TargetSearch search(definition_.lower, definition_.upper, definition_.probes);
  const auto settle = [&] {
    while (!search.done() && tables_of(search) == 0) search.advance(0);
  };
  settle();
  for (const std::int64_t outcome : outcomes) {
    search.advance(outcome);
    settle();
  }
  return search;
}

/// The targets of the tables of the round after these.
std::vector<std::int64_t> TablesOfSearch::targets_of(const Outcomes& outcomes) const {
  const TargetSearch at = search(outcomes);
  return {at.targets().begin(), at.targets().begin() + tables_of(at)};
}

bool TablesOfSearch::in_place(const Outcomes& outcomes) const {
  if (outcomes.empty() || !definition_.cut.stays()) return false;
  const std::vector<std::int64_t> targets = targets_of({outcomes.begin(), outcomes.end() - 1});
  const auto last = static_cast<std::size_t>(outcomes.back());
  return last < targets.size() && targets[last] == search(outcomes).upper();
}

std::int64_t TablesOfSearch::tiles_of(std::int64_t target) const {
  const RoundedJobs jobs = rounding_.jobs(target);
  dp_table::Table table;
  table.extents = jobs.extents();
  table.cut = cut_of(jobs, definition_.cut.tile_cells).value();
  return dp_table::Tiles(table).count();
}

ProbeTable TablesOfSearch::probe(std::int64_t target) const {
  const SearchCut& cut = definition_.cut;
  const auto fail = [&](const std::string& what) {
    throw ComputeError("the table of the target " + std::to_string(target) + " " + what +
                       ": take a larger `epsilon`");
  };
  const auto too_large = [&] { fail("is larger than all that were looked at before the run"); };
  const RoundedJobs jobs = rounding_.jobs(target);
  if (jobs.sizes.size() > static_cast<std::size_t>(dp_table::most_dimensions)) fail("has too many dimensions");
  const std::optional<dp_table::Cut> tile = cut_of(jobs, cut.tile_cells);
  if (!tile) too_large();
  auto sized = sized_table(jobs, target, definition_.type, definition_.instance.machines, *tile, cut.ordered);
  if (!sized) fail("has too many configurations of a machine");
  dp_table::Tiles tiles(sized->table);
  std::vector<dp_table::SourceRange> sources = dp_table::sources_of(sized->table);
  const std::int64_t read =
      std::ssize(sources) - 1 +
      (tiles.ranges() == 1 ? 0 : std::count_if(sources.begin(), sources.end(), [](const auto& source) {
        return source.reach > 0;
      }));
  if (tiles.count() > cut.tiles || read > cut.sources || tiles.most_live(sources) > cut.live) too_large();
  return {target, *std::move(sized), std::move(tiles), std::move(sources), 0, {}};
}

std::shared_ptr<const RoundTables> TablesOfSearch::make(const Outcomes& outcomes,
                                                        const std::vector<std::int64_t>& targets) const {
  auto made = std::make_shared<RoundTables>();
  for (const std::int64_t target : targets) {
    made->probes.push_back(probe(target));
    ProbeTable& probe = made->probes.back();
    probe.first_block = made->blocks;
    made->blocks += probe.tiles.count();
    probe.generations.assign(static_cast<std::size_t>(probe.tiles.count()), 1);
  }
  // A tile's generation counts the tables that it was a part of, in the same array.
  for (std::size_t before = 0; before < outcomes.size(); ++before) {
    const auto earlier = targets_of({outcomes.begin(), outcomes.begin() + static_cast<std::ptrdiff_t>(before)});
    for (std::size_t array = 0; array < std::min(earlier.size(), targets.size()); ++array) {
      std::vector<std::int64_t>& generations = made->probes[array].generations;
      const auto tiles = static_cast<std::size_t>(tiles_of(earlier[array]));
      for (std::size_t tile = 0; tile < std::min(tiles, generations.size()); ++tile) ++generations[tile];
    }
  }
  return made;
}

std::shared_ptr<const RoundTables> TablesOfSearch::round(const Outcomes& outcomes) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = rounds_.find(outcomes); found != rounds_.end()) return found->second;
  if (rounds_.size() == most_kept) rounds_.erase(rounds_.begin());
  return rounds_.emplace(outcomes, make(outcomes, targets_of(outcomes))).first->second;
}

std::shared_ptr<const RoundTables> TablesOfSearch::end(const Outcomes& outcomes) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = ends_.find(outcomes); found != ends_.end()) return found->second;
  ends_.clear();
  const Outcomes in_array = definition_.cut.stays() ? outcomes : Outcomes{};
  return ends_.emplace(outcomes, make(in_array, {search(outcomes).upper()})).first->second;
}

}  // namespace terrace::stages
