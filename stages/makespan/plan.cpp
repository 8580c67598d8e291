#include "stages/makespan/plan.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/makespan/tally.hpp"
#include "stages/makespan/worker.hpp"

namespace terrace::stages {

using dp_table::TableTask;
using run::Mode;

namespace {

/// Names of the accesses of a block: the tile, and of a source, whose number is the slot's index, the rows from the
/// tile's first on and those before it.
enum class Slot { cells, source, before };

/// A block has where the rows before its first one end.
void bind_before(TableTask& task, const run::SlotPiece& piece, const ElementType& type) {
  const std::int64_t bytes = volume(piece.tile.box.shape()) * static_cast<std::int64_t>(size_of(type));
  task.before[piece.index] = piece.tile.data + bytes;
}

constexpr run::SlotField<TableTask, ElementType> slots[] = {
    run::field<&TableTask::cells>(Slot::cells, "cells"),
    run::field<&TableTask::source>(Slot::source, "source"),
    {.slot = Slot::before, .name = "rows before", .bind = bind_before, .count = dp_table::most_sources},
};

/// Outcomes of a search with so many probes that a word holds.
std::int64_t outcomes_a_word(std::int64_t probes) {
  std::int64_t count = 1;
  for (std::int64_t most = (std::int64_t{1} << 62) / (probes + 1); most > probes; most /= probes + 1) ++count;
  return count;
}

}  // namespace

void SearchPhase::pack(const Outcomes& outcomes, std::int64_t probes) {
  rounds = static_cast<std::int64_t>(outcomes.size());
  const std::int64_t each = outcomes_a_word(probes);
  if (rounds > each * words) throw Error("a search takes " + std::to_string(rounds) + " rounds");
  for (std::int64_t n = rounds - 1; n >= 0; --n) {
    std::int64_t& word = packed[n / each];
    word = word * (probes + 1) + outcomes[static_cast<std::size_t>(n)];
  }
}

Outcomes SearchPhase::outcomes(std::int64_t probes) const {
  const std::int64_t each = outcomes_a_word(probes);
  Outcomes outcomes;
  std::int64_t word = 0;
  for (std::int64_t n = 0; n < rounds; ++n) {
    if (n % each == 0) word = packed[n / each];
    outcomes.push_back(word % (probes + 1));
    word /= probes + 1;
  }
  return outcomes;
}

MakespanPlan::MakespanPlan(SearchDefinition definition, bool searched)
    : tables_(std::move(definition)), searched_(searched) {
  if (tables_.search({}).done()) return;
  const SearchDefinition& search = tables_.definition();
  const auto add = [&](std::string name, std::int64_t live, std::int64_t slots) {
    run::ArraySpec array;
    array.name = std::move(name);
    array.type = search.type;
    array.tile = {search.cut.tile_cells};
    array.shape = {search.cut.tile_cells * search.cut.tiles};
    array.kept = 1;
    array.live = live;
    array.slots = slots;
    arrays_.push_back(std::move(array));
  };
  for (std::int64_t probe = 0; probe < search.probes; ++probe) {
    add("table_" + std::to_string(probe), search.cut.live, search.cut.probe_slots());
  }
  if (!search.cut.stays()) add("last_table", search.cut.tiles, search.cut.end_slots());
}

std::optional<std::int64_t> MakespanPlan::end_target(const Outcomes& outcomes) const {
  const TargetSearch search = tables_.search(outcomes);
  if (!searched_ && !search.best()) return std::nullopt;
  if (tables_.rounding().all_short(search.upper())) return std::nullopt;
  return search.upper();
}

std::optional<run::Phase> MakespanPlan::phase(std::int64_t number, const run::Tally& tally) const {
  const SearchFindings& found = static_cast<const MakespanTally&>(tally).findings();
  SearchPhase value{};
  value.pack(found.outcomes, definition().probes);
  value.made_again = found.made_again;
  if (!tables_.search(found.outcomes).done()) {
    value.step = static_cast<std::int64_t>(SearchStep::round);
    return run::Phase{number, tables_.round(found.outcomes)->blocks, run::Order::in_turn, value};
  }
  if (found.walk_ended || !end_target(found.outcomes)) return std::nullopt;
  if (!tables_.in_place(found.outcomes) && !found.made_again) {
    value.step = static_cast<std::int64_t>(SearchStep::end);
    return run::Phase{number, tables_.end(found.outcomes)->blocks, run::Order::in_turn, value};
  }
  value.step = static_cast<std::int64_t>(SearchStep::walk);
  value.cell = found.walk_cell;
  return run::Phase{number, 1, run::Order::in_turn, value};
}

std::string MakespanPlan::part(const run::Phase& phase) const {
  const auto value = phase.value.as<SearchPhase>();
  if (value.what() == SearchStep::round) return "round " + std::to_string(value.rounds + 1);
  return value.what() == SearchStep::end ? "last table" : "way back";
}

int MakespanPlan::devices(int available) const {
  return static_cast<int>(std::min<std::int64_t>(available, definition().probes));
}

std::string MakespanPlan::dealt() const {
  return std::to_string(definition().probes) + (definition().probes == 1 ? " table" : " tables") + " a round";
}

int MakespanPlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  return static_cast<int>(place_of(phase, *tables_of(phase), index).array % devices);
}

std::shared_ptr<const RoundTables> MakespanPlan::tables_of(const run::Phase& phase) const {
  const auto value = phase.value.as<SearchPhase>();
  Outcomes outcomes = value.outcomes(definition().probes);
  if (value.what() == SearchStep::round) return tables_.round(outcomes);
  if (value.what() == SearchStep::end || value.made_again != 0) return tables_.end(outcomes);
  outcomes.pop_back();
  return tables_.round(outcomes);
}

MakespanPlan::Place MakespanPlan::place_of(const run::Phase& phase, const RoundTables& round,
                                           std::int64_t index) const {
  const auto value = phase.value.as<SearchPhase>();
  if (value.what() != SearchStep::walk) {
    const ProbeTable& probe = round.of_block(index);
    const std::int64_t number = &probe - round.probes.data();
    const std::int64_t array = value.what() == SearchStep::end ? tables_.end_array() : number;
    return {probe, array, index - probe.first_block, -1};
  }
  const std::int64_t number = value.made_again != 0 ? 0 : value.outcomes(definition().probes).back();
  const ProbeTable& probe = round.probes[static_cast<std::size_t>(number)];
  const ProbeTable::Place place = probe.place_of(value.cell);
  return {probe, value.made_again != 0 ? tables_.end_array() : number, place.tile, place.cell};
}

run::Block MakespanPlan::block(const run::Phase& phase, std::int64_t index) const {
  const auto round = tables_of(phase);
  const Place place = place_of(phase, *round, index);
  const ProbeTable& probe = place.probe;
  const std::int64_t first = definition().cut.tile_cells;
  /// The last cells of a tile, or all.
  const auto access = [&](run::Slot slot, std::int64_t tile, std::int64_t cells, Mode mode) {
    const std::int64_t end = tile * first + probe.cells_of(tile);
    return run::Access{slot,
                       static_cast<int>(place.array),
                       probe.generations[static_cast<std::size_t>(tile)],
                       {{end - cells}, {end}},
                       mode};
  };
  run::Block block;
  const std::int64_t count = probe.cells_of(place.tile);
  block.accesses.push_back(access(Slot::cells, place.tile, count, place.cell < 0 ? Mode::write : Mode::read));
  const int rows = probe.sized.table.cut.whole;
  const std::int64_t first_row = probe.tiles.box(place.tile).begin[rows];
  for (std::size_t number = 0; number < probe.sources.size(); ++number) {
    Box read = probe.tiles.read(place.tile, probe.sources[number], number == 0);
    if (volume(read.shape()) == 0) continue;
    const std::int64_t rows_before = first_row - read.begin[rows];
    read.begin[rows] = first_row;
    const std::int64_t tile = probe.tiles.tile_of(read.begin);
    if (number > 0) {
      block.accesses.push_back(access({Slot::source, number}, tile, probe.cells_of(tile), Mode::read));
    }
    if (rows_before > 0) {
      const std::int64_t count_before = rows_before * probe.tiles.row_cells();
      block.accesses.push_back(access({Slot::before, number}, tile - 1, count_before, Mode::read));
    }
  }
  if (place.cell < 0) block.operations = static_cast<double>(count);
  if (phase.value.as<SearchPhase>().what() != SearchStep::round || definition().cut.stays()) return block;
  for (const run::Access& used : block.accesses) {
    if (probe.tiles.last_reader(used.box.begin[0] / first, probe.sources) != place.tile) continue;
    block.last_uses.push_back({used.array, used.generation, used.box});
  }
  return block;
}

TableTask MakespanPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const auto round = tables_of(phase);
  const Place place = place_of(phase, *round, view.index);
  const Box box = place.probe.tiles.box(place.tile);
  const int rows = place.probe.sized.table.cut.whole;
  TableTask task{};
  task.table = &place.probe - round->probes.data();
  for (int d = 0; d < rows; ++d) task.prefix[d] = box.begin[d];
  task.first_row = box.begin[rows];
  task.rows = box.end[rows] - box.begin[rows];
  task.walk_from = place.cell;
  task.pass = dp_table::all_steps;
  run::bind_slots(slots, view, task, definition().type);
  return task;
}

std::unique_ptr<run::Worker> MakespanPlan::make_worker(device::Context& context) const {
  return std::make_unique<MakespanWorker>(*this, context);
}

}  // namespace terrace::stages
