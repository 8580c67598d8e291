#include "stages/wavefront/alignment/bit_plan.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"
#include "stages/wavefront/alignment/bit_tally.hpp"
#include "stages/wavefront/alignment/bit_worker.hpp"

namespace terrace::stages {

using run::Access;
using run::Mode;
using wavefront::BitTraceTask;
using wavefront::KeptTask;
using wavefront::word_cells;

wavefront::SweepSpec bit_sweep(wavefront::SweepSpec spec, const BitAlignmentCut& cut) {
  spec.block_rows = cut.block_rows;
  spec.block_columns = cut.block_columns;
  spec.bit_lines = wavefront::BitLines{cut.cell_rows, cut.cell_columns};
  return spec;
}

BitAlignmentPlan::BitAlignmentPlan(wavefront::SweepSpec spec, const WavefrontInputs& inputs,
                                   std::optional<std::int64_t> least_margin)
    : SweepPlan(std::move(spec), inputs, least_margin) {
  const auto add_lines = [&](const char* name, std::int64_t count, std::int64_t cells) {
    run::ArraySpec array;
    array.name = name;
    array.type = ElementType::u64;
    array.tile = {1, count, problem().bits->planes, cells / word_cells};
    array.shape = array.tile;
    array.shape[0] = std::max<std::int64_t>(1, blocks());
    array.kept = 1;
    return add(std::move(array));
  };
  row_lines_ = add_lines("row_lines", spec_.block_rows / spec_.bit_lines->rows, spec_.block_columns);
  column_lines_ = add_lines("column_lines", spec_.block_columns / spec_.bit_lines->columns, spec_.block_rows);
}

// --- phases
// ---------------------------------------------------------------------------------------------------------

std::optional<run::Phase> BitAlignmentPlan::phase(std::int64_t number, const run::Tally& tally) const {
  const auto& folded = static_cast<const BitAlignmentTally&>(tally);
  if (const auto margin = next_margin(number, folded)) {
    return run::Phase{number, blocks(), run::Order::chain, BitAlignmentPhase{*margin, 0, 0, {}}};
  }
  if (folded.path().finished()) {
    folded.path().check({spec_, problem(), folded.score()}, row_items(), column_items(), watch());
    return std::nullopt;
  }
  const BitAlignmentPhase walk{folded.margin(), 1, folded.swept(), PlaceValue::of(folded.path().place())};
  return run::Phase{number, 1, run::Order::any, walk};
}

std::string BitAlignmentPlan::part(const run::Phase& phase) const {
  if (phase.value.as<BitAlignmentPhase>().walks != 0) return "walks";
  const std::string band = SweepPlan::part(phase);
  return band.empty() ? "table" : band;
}

// --- blocks
// ---------------------------------------------------------------------------------------------------------

/// True if the block has cells in the band of that margin: other blocks keep nothing.
bool BitAlignmentPlan::has_lines(std::int64_t margin, std::int64_t index) const {
  return cells_in_band(margin, index) > 0;
}

/// The block that the cell of a path is in.
std::int64_t BitAlignmentPlan::block_of(const PlaceValue& place) const {
  return (place.row - 1) / spec_.block_rows * across_ + (place.column - 1) / spec_.block_columns;
}

Access BitAlignmentPlan::lines(WavefrontSlot slot, int array, std::int64_t generation, std::int64_t index,
                               std::int64_t first, Mode mode) const {
  const Extents& tile = arrays()[static_cast<std::size_t>(array)].tile;
  return {slot, array, generation, {{index, first, 0, 0}, {index + 1, tile[1], tile[2], tile[3]}}, mode};
}

run::Block BitAlignmentPlan::block(const run::Phase& phase, std::int64_t index) const {
  const auto what = phase.value.as<BitAlignmentPhase>();
  if (what.walks != 0) return walk_block(what);
  run::Block block = SweepPlan::block(phase, index);
  if (!has_lines(what.margin, index)) return block;
  const std::int64_t generation = phase.number + 1;
  auto& accesses = block.accesses;
  accesses.push_back(lines(WavefrontSlot::row_lines, row_lines_, generation, index, 0, Mode::write));
  accesses.push_back(lines(WavefrontSlot::column_lines, column_lines_, generation, index, 0, Mode::write));
  return block;
}

/// The lines of the block, and the last ones of the blocks before it, so far as there are any: the path leads through
/// cells of the band.
run::Block BitAlignmentPlan::walk_block(const BitAlignmentPhase& walk) const {
  const std::int64_t index = block_of(walk.place), above = index - across_, before = index - 1;
  const auto [i, layer, j] = place_of(index);
  if (!has_lines(walk.margin, index)) {
    throw ComputeError("the path has left the band that was swept at row " + std::to_string(walk.place.row) +
                       " and column " + std::to_string(walk.place.column) +
                       ": an input, the disk or the memory has changed since then; start over with --fresh=all");
  }
  run::Block block;
  read_inputs(cells_of(index), block.accesses);
  const auto read = [&](WavefrontSlot slot, int array, std::int64_t block_index, std::int64_t first) {
    block.accesses.push_back(lines(slot, array, walk.generation, block_index, first, Mode::read));
  };
  const auto last = [&](int array) { return arrays()[static_cast<std::size_t>(array)].tile[1] - 1; };
  read(WavefrontSlot::row_lines, row_lines_, index, 0);
  read(WavefrontSlot::column_lines, column_lines_, index, 0);
  if (i > 0 && has_lines(walk.margin, above)) read(WavefrontSlot::above, row_lines_, above, last(row_lines_));
  if (j > 0 && has_lines(walk.margin, before))
    read(WavefrontSlot::before, column_lines_, before, last(column_lines_));
  return block;
}

std::size_t BitAlignmentPlan::descriptor_bytes() const { return std::max(sizeof(KeptTask), sizeof(BitTraceTask)); }

BitTraceTask BitAlignmentPlan::walk_task(const BitAlignmentPhase& walk) const {
  BitTraceTask task{};
  set_cells(cells_of(block_of(walk.place)), task);
  task.cell_rows = spec_.bit_lines->rows;
  task.cell_columns = spec_.bit_lines->columns;
  task.band = band(walk.margin);
  task.place = walk.place.place();
  return task;
}

std::unique_ptr<run::Worker> BitAlignmentPlan::make_worker(device::Context& context) const {
  return std::make_unique<BitAlignmentWorker>(*this, context);
}

}  // namespace terrace::stages
