#include "stages/wavefront/sweep_plan.hpp"

#include <algorithm>

#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "kernels/wavefront/window.hpp"
#include "stages/watched_read.hpp"
#include "stages/wavefront/blocks.hpp"
#include "stages/wavefront/sweep_tally.hpp"
#include "stages/wavefront/sweep_worker.hpp"

namespace terrace::stages {

using run::ArraySpec;
using run::Mode;
using run::Role;

namespace {

/// True if bands of diagonals may take the place of the whole table.
bool may_widen(const wavefront::SweepSpec& spec) {
  return spec.schedule.work != wavefront::Schedule::Work::all && spec.description->bits;
}

}  // namespace

SweepPlan::SweepPlan(wavefront::SweepSpec spec, const WavefrontInputs& inputs,
                     std::optional<std::int64_t> least_margin)
    : WavefrontPlan(std::move(spec), inputs),
      widening_(spec_.rows, spec_.columns, least_margin.value_or(Widening::least_margin)) {
  if (least_margin && may_widen(spec_)) first_margin_ = widening_.first();
  const auto border = [&](const char* name, Extents shape, std::int64_t kept) {
    ArraySpec array;
    array.name = name;
    array.type = spec_.border;
    array.shape = shape;
    array.tile = {1, shape[1], shape[2]};
    array.kept = kept;
    array.reads = 1;
    return add(std::move(array));
  };
  const std::int64_t layers = spec_.layers;
  if (problem().counts) edges_ = wavefront::bin_edges(spec_.settings, spec_.grid);
  if (down_ > 1) {
    row_border_ = border("row_border", {layers * across_, planes_.row, spec_.block_columns}, kept_row_borders());
  }
  if (across_ > 1) {
    const Extents shape{down_ * layers, planes_.column, spec_.block_rows + 1};
    column_border_ = border("column_border", shape, blocks_in_flight + 2);
  }
  if (spec_.kept) add_kept();
  if (spec_.table) {
    ArraySpec table;
    table.name = "table";
    table.role = Role::result;
    table.type = *spec_.table;
    table.shape = {spec_.rows, spec_.columns};
    table.tile = {spec_.block_rows, spec_.block_columns};
    if (problem().counts) {
      table.shape = {layers, spec_.rows, spec_.columns};
      table.tile = {1, spec_.block_rows, spec_.block_columns};
    }
    table_ = add(std::move(table));
  }
}

/// Adds kept rows and columns, and their planes of gaps if the border has one.
void SweepPlan::add_kept() {
  const auto lines = [&](const char* name, std::int64_t across, std::int64_t block, std::int64_t along,
                         std::int64_t along_block) {
    ArraySpec array;
    array.name = name;
    array.role = Role::result;
    array.type = spec_.kept->type;
    const std::int64_t count = spec_.kept->count(across, across);
    array.shape = {count, along};
    array.tile = {std::max<std::int64_t>(1, block < across ? block / spec_.kept->every : count), along_block};
    return add(std::move(array));
  };
  const auto rows = [&](const char* name) {
    return lines(name, spec_.rows, spec_.block_rows, spec_.columns, spec_.block_columns);
  };
  const auto columns = [&](const char* name) {
    return lines(name, spec_.columns, spec_.block_columns, spec_.rows, spec_.block_rows);
  };
  kept_rows_ = rows("border_rows");
  kept_columns_ = columns("border_columns");
  if (planes_.row > 1) kept_row_gaps_ = rows("border_row_gaps");
  if (planes_.column > 1) kept_column_gaps_ = columns("border_column_gaps");
}

std::int64_t SweepPlan::distance_of(const wavefront::BlockResult& score) const {
  return wavefront::distance_of(problem(), score.score, spec_.rows + spec_.columns);
}

std::optional<std::int64_t> SweepPlan::next_margin(std::int64_t number, const SweepTally& tally) const {
  if (number == 0) return first_margin_;
  if (tally.margin() == Widening::whole) return std::nullopt;
  const std::int64_t distance = to_prove(distance_of(tally.score()));
  const auto next = widening_.next(tally.margin(), distance);
  return next && worth_limits(distance, *next) ? Widening::limited_by(distance) : next;
}

bool SweepPlan::worth_limits(std::int64_t distance, std::int64_t next) const {
  using Sizes = measured::BandSizes;
  if (!seed_limits() || distance < 1 || distance * Sizes::least_alike > std::min(spec_.rows, spec_.columns))
    return false;
  const auto limits = this->limits(Widening::limited_by(distance));
  if (!limits) return false;
  const wavefront::DiagonalBand wide = band(next);
  return limits->cells(0, spec_.rows, 0, spec_.columns) * Sizes::limits_lead <=
         wavefront::cells_on_diagonals(wide.low, wide.high, 0, spec_.rows, 0, spec_.columns);
}

std::shared_ptr<const wavefront::BandLimits> SweepPlan::limits(std::int64_t margin) const {
  if (!Widening::is_limited(margin)) return nullptr;
  const std::scoped_lock lock(limits_mutex_);
  if (limits_margin_ != margin) {
    const auto letters = [&](io::Source& source, const char* name) {
      std::vector<std::uint8_t> codes(static_cast<std::size_t>(source.shape()[0]));
      read_watched(source, codes.data(), name, watch());
      return codes;
    };
    limits_ = wavefront::seed_limits(letters(row_items(), "rows"), letters(column_items(), "columns"),
                                     Widening::limiting_distance(margin));
    limits_margin_ = margin;
  }
  return limits_;
}

std::optional<run::Phase> SweepPlan::phase(std::int64_t number, const run::Tally& tally) const {
  const auto margin = next_margin(number, static_cast<const SweepTally&>(tally));
  if (!margin) return std::nullopt;
  return run::Phase{number, blocks(), run::Order::chain, SweepPhase{*margin}};
}

/// Bands of diagonals, if there are any.
std::string SweepPlan::part(const run::Phase& phase) const {
  if (first_margin_ == Widening::whole) return "";
  const std::int64_t margin = margin_of(phase);
  if (Widening::is_limited(margin)) {
    return "limits of seeds for distance " + std::to_string(Widening::limiting_distance(margin));
  }
  return margin == Widening::whole ? "table" : "band of margin " + std::to_string(margin);
}

double SweepPlan::cells_in_band(std::int64_t margin, std::int64_t index) const {
  const Box cells = cells_of(index);
  if (const auto limited = limits(margin)) {
    return limited->cells(cells.begin[0], cells.end[0], cells.begin[1], cells.end[1]);
  }
  const wavefront::DiagonalBand diagonals = band(margin);
  return wavefront::cells_on_diagonals(std::max<std::int64_t>(-window_, diagonals.low),
                                       std::min<std::int64_t>(window_, diagonals.high), cells.begin[0], cells.end[0],
                                       cells.begin[1], cells.end[1]);
}

/// Adds the accesses that a block writes: the kept rows that end in it, and the columns.
void SweepPlan::add_kept_parts(const Box& cells, std::vector<run::Access>& accesses) const {
  const auto add_part = [&](WavefrontSlot slot, int array, int across, int along, std::int64_t extent) {
    const std::int64_t first = spec_.kept->count(cells.begin[across], extent);
    const std::int64_t last = spec_.kept->count(cells.end[across], extent);
    if (array < 0 || first == last) return;
    accesses.push_back({slot, array, 1, {{first, cells.begin[along]}, {last, cells.end[along]}}, Mode::write});
  };
  add_part(WavefrontSlot::kept_rows, kept_rows_, 0, 1, spec_.rows);
  add_part(WavefrontSlot::kept_row_gaps, kept_row_gaps_, 0, 1, spec_.rows);
  add_part(WavefrontSlot::kept_columns, kept_columns_, 1, 0, spec_.columns);
  add_part(WavefrontSlot::kept_column_gaps, kept_column_gaps_, 1, 0, spec_.columns);
}

run::Block SweepPlan::block(const run::Phase& phase, std::int64_t index) const {
  const auto [i, layer, j] = place_of(index);
  const Box cells = cells_of(index);
  run::Block block;
  block.operations = cells_in_band(margin_of(phase), index);
  auto& accesses = block.accesses;
  read_inputs(cells, accesses);
  const std::int64_t above = layer * across_ + j, before = i * spec_.layers + layer;
  const Box row_tile{{above, 0, 0}, {above + 1, planes_.row, spec_.block_columns}};
  const Box column_tile{{before, 0, 0}, {before + 1, planes_.column, spec_.block_rows + 1}};
  const std::int64_t row = phase.number * (down_ - 1) + i, column = phase.number * (across_ - 1) + j;  // generations
  if (i > 0) accesses.push_back({WavefrontSlot::top, row_border_, row, row_tile, Mode::read});
  if (i + 1 < down_) accesses.push_back({WavefrontSlot::bottom, row_border_, row + 1, row_tile, Mode::write});
  if (j > 0) accesses.push_back({WavefrontSlot::left, column_border_, column, column_tile, Mode::read});
  if (j + 1 < across_) {
    accesses.push_back({WavefrontSlot::right, column_border_, column + 1, column_tile, Mode::write});
  }
  if (spec_.kept) add_kept_parts(cells, accesses);
  if (table_ >= 0 && !problem().counts) accesses.push_back({WavefrontSlot::table, table_, 1, cells, Mode::write});
  if (table_ >= 0 && problem().counts) {
    const Box written{{layer, cells.begin[0], cells.begin[1]}, {layer + 1, cells.end[0], cells.end[1]}};
    accesses.push_back({WavefrontSlot::table_layer, table_, 1, written, Mode::write});
  }
  return block;
}

wavefront::KeptTask SweepPlan::task_of(std::int64_t index) const {
  wavefront::KeptTask task{};
  set_cells(cells_of(index), task.block);
  task.block.row_border_stride = spec_.block_columns;
  task.block.column_border_stride = spec_.block_rows + 1;
  if (problem().counts) task.block.keys = wavefront::bin_keys(edges_, place_of(index).layer, spec_.grid);
  return task;
}

std::unique_ptr<run::Worker> SweepPlan::make_worker(device::Context& context) const {
  return std::make_unique<SweepWorker>(*this, context);
}

}  // namespace terrace::stages
