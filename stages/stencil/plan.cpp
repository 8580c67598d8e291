#include "stages/stencil/plan.hpp"

#include <algorithm>

#include "kernels/stencil/points.hpp"
#include "stages/stencil/slabs.hpp"
#include "stages/stencil/stencil_slot.hpp"

namespace terrace::stages {

using run::ArraySpec;
using run::Mode;
using run::Role;
using stencil::RowRange;
using stencil::Slab;

namespace {

constexpr std::int64_t total_rows = stencil_total_rows;
constexpr std::int64_t most_parts_by_name = 16;  // passes that the profile lists apart

}  // namespace

StencilPlan::StencilPlan(const stencil::StencilMethod& method, stencil::StencilSpec spec, StencilEvents events,
                         StencilInputs inputs)
    : method_(method, stencil::method_instead),
      spec_(std::move(spec)),
      events_(std::move(events)),
      cut_(spec_),
      timeline_(events_, spec_.pass_steps, cut_.has_rims()),
      fields_(inputs.fields.size()) {
  add_grid(inputs);
  add_between_slabs();
  add_results();
}

int StencilPlan::add(ArraySpec array) {
  arrays_.push_back(std::move(array));
  return static_cast<int>(arrays_.size()) - 1;
}

void StencilPlan::add_grid(StencilInputs& inputs) {
  const std::int64_t last = timeline_.passes() + (timeline_.has_finish() ? 1 : 0);
  Extents tile = inputs.shape;
  for (int axis = 0; axis < tile.rank(); ++axis) tile[axis] = std::max<std::int64_t>(1, tile[axis]);
  tile[0] = spec_.tile_rows();
  for (std::size_t f = 0; f < fields(); ++f) {
    ArraySpec field;
    field.name = inputs.names[f];
    field.role = Role::result;
    field.type = spec_.value;
    field.shape = inputs.shape;
    field.tile = tile;
    field.source = std::move(inputs.fields[f]);
    field.generations = last;
    field.kept = cut_.streams() ? 2 : 1;
    add(std::move(field));
  }
  first_array_ = static_cast<int>(arrays_.size());
  for (std::size_t a = 0; a < inputs.arrays.size(); ++a) {
    ArraySpec array;
    array.name = "array " + std::to_string(a);
    array.role = Role::input;
    array.type = spec_.value;
    array.shape = inputs.shape;
    array.tile = tile;
    array.tile[0] = cut_.array_tile_rows();
    array.source = std::move(inputs.arrays[a]);
    add(std::move(array));
  }
}

/// Adds carries, rooms and rims.
void StencilPlan::add_between_slabs() {
  const std::int64_t rows = std::max<std::int64_t>(1, spec_.radius * spec_.pass_steps);
  const auto scratch = [&](const std::string& name, std::int64_t tiles, std::int64_t tile_rows) {
    ArraySpec array;
    array.name = name;
    array.role = Role::scratch;
    array.type = spec_.value;
    array.shape = {tiles, tile_rows, spec_.width()};
    array.tile = {1, tile_rows, spec_.width()};
    array.kept = 1;
    return add(std::move(array));
  };
  if (cut_.streams()) {
    carry_ = static_cast<int>(arrays_.size());
    room_ = carry_ + static_cast<int>(fields());
    const std::int64_t carried = stencil::carry_rows(spec_.radius, spec_.pass_steps, spec_.at_once);
    for (std::size_t f = 0; f < fields(); ++f) scratch("carry of " + arrays_[f].name, cut_.parts(), carried);
    for (std::size_t f = 0; f < fields(); ++f) {
      const int room = scratch("room of " + arrays_[f].name, cut_.parts(), spec_.slab_rows);
      arrays_[static_cast<std::size_t>(room)].kept = 2;
    }
  }
  if (cut_.has_rims()) rims_ = static_cast<int>(arrays_.size());
  for (std::size_t f = 0; f < fields() && rims_ >= 0; ++f) {
    scratch("rims of " + arrays_[f].name, 2 * cut_.parts(), rows);
  }
}

/// Adds changes and snapshots.
void StencilPlan::add_results() {
  if (events_.check_every > 0 && cut_.slabs() > 0) {
    ArraySpec changes;
    changes.name = "changes";
    changes.type = ElementType::f64;
    changes.shape = {spec_.extents[0]};
    // Whole blocks of rows, and as many as slabs have: a slab writes to at most two tiles.
    const std::int64_t blocks = (spec_.slab_rows + total_rows - 1) / total_rows;
    changes.tile = {std::min(blocks * total_rows, spec_.extents[0])};
    changes.kept = 1;
    changes_ = add(std::move(changes));
  }
  if (events_.receives && cut_.slabs() > 0) add_receivers();
  if (events_.snapshots.empty()) return;
  snapshots_ = static_cast<int>(arrays_.size());
  for (std::size_t f = 0; f < fields(); ++f) {
    const ArraySpec& field = arrays_[f];
    ArraySpec snapshots;
    snapshots.name = fields() == 1 ? "snapshots" : field.name + "_snapshots";
    snapshots.role = Role::result;
    snapshots.type = spec_.value;
    snapshots.shape = {static_cast<std::int64_t>(events_.snapshots.size())};
    snapshots.tile = {1};
    for (int axis = 0; axis < field.shape.rank(); ++axis) {
      snapshots.shape.push_back(field.shape[axis]);
      snapshots.tile.push_back(field.tile[axis]);
    }
    add(std::move(snapshots));
  }
}

/// Adds the values of receivers of a pass, and of all steps.
void StencilPlan::add_receivers() {
  const stencil::Points& points = *spec_.points;
  const std::int64_t times = points.most_times(spec_.pass_steps), count = std::ssize(points.receivers);
  ArraySpec traces;
  traces.name = "traces of receivers";
  traces.type = spec_.value;
  traces.shape = {cut_.parts(), times, count};
  traces.tile = {1, times, count};
  traces.kept = 1;
  traces_ = add(std::move(traces));
  ArraySpec receivers;
  receivers.name = "receivers";
  receivers.role = Role::result;
  receivers.type = spec_.value;
  receivers.shape = {points.times(events_.steps), count};
  receivers.tile = {receiver_tile_times(spec_, events_.check_every), count};
  receivers_ = add(std::move(receivers));
}

std::int64_t StencilPlan::total_blocks() const { return (spec_.extents[0] + total_rows - 1) / total_rows; }

std::optional<run::Phase> StencilPlan::phase(std::int64_t number, const run::Tally& tally) const {
  if (cut_.slabs() == 0) return std::nullopt;
  const std::int64_t stopped =
      events_.check_every > 0 ? static_cast<const StencilTally&>(tally).stopped() : std::int64_t{-1};
  const auto value =
      stopped >= 0 && number > stopped ? timeline_.phase_after_stop(number, stopped) : timeline_.phase(number);
  if (!value) return std::nullopt;
  const bool pass = value->work == StencilWork::pass;
  const std::int64_t count = value->work == StencilWork::rims     ? 2 * cut_.parts()
                             : value->work == StencilWork::total  ? total_blocks()
                             : value->work == StencilWork::record ? record_blocks(*value)
                             : pass                               ? cut_.blocks()
                                                                  : cut_.tiles();
  return run::Phase{number, count, pass ? run::Order::in_turn : run::Order::any, *value};
}

bool StencilPlan::depends_on_results(std::int64_t number) const {
  if (events_.check_every == 0 || number == 0) return false;
  const auto before = timeline_.phase(number - 1);
  return before && before->work == StencilWork::total;
}

std::int64_t StencilPlan::steps_made(const StencilTally& tally) const {
  return tally.stopped() >= 0 ? tally.steps().back() : events_.steps;
}

std::int64_t StencilPlan::entries(int array, const run::Tally& tally) const {
  if (is_receivers(array)) return spec_.points->times(steps_made(static_cast<const StencilTally&>(tally)));
  if (!is_snapshots(array)) return Plan::entries(array, tally);
  return std::ssize(events_.snapshots_of(steps_made(static_cast<const StencilTally&>(tally))));
}

std::vector<std::int64_t> StencilPlan::receiver_times(const StencilTally& tally) const {
  std::vector<std::int64_t> steps;
  const std::int64_t every = spec_.points->every, made = steps_made(tally);
  for (std::int64_t step = every; step <= made; step += every) steps.push_back(step);
  return steps;
}

std::string StencilPlan::part(const run::Phase& phase) const {
  const StencilPhase value = value_of(phase);
  switch (value.work) {
    case StencilWork::rims:
      return "rims";
    case StencilWork::snapshot:
      return "snapshots";
    case StencilWork::record:
      return "receivers";
    case StencilWork::total:
      return "checks";
    case StencilWork::finish:
      return "finish";
    case StencilWork::pass:
      break;
  }
  const bool named = timeline_.passes() > 1 && timeline_.passes() <= most_parts_by_name;
  return named ? "pass " + std::to_string(value.passes + 1) : "";
}

int StencilPlan::devices(int available) const {
  return static_cast<int>(std::min<std::int64_t>(available, cut_.parts()));
}

std::string StencilPlan::dealt() const {
  const std::int64_t parts = cut_.parts();
  return std::to_string(parts) + (parts == 1 ? " part" : " parts") + " of the grid";
}

int StencilPlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  const StencilPhase value = value_of(phase);
  if (value.work == StencilWork::total || value.work == StencilWork::record) return 0;
  const std::int64_t part = value.work == StencilWork::rims   ? index / 2
                            : value.work == StencilWork::pass ? cut_.part_of(index)
                                                              : cut_.part_of_row(cut_.tile(index).begin);
  return static_cast<int>(part * devices / cut_.parts());
}

Box StencilPlan::rows_box(RowRange rows) const {
  Box box = Box::whole(arrays_[0].shape);
  box.begin[0] = rows.begin;
  box.end[0] = rows.end;
  return box;
}

/// Rows that may lie beyond the ends of a periodic grid, as pieces inside it.
std::vector<RowPiece> StencilPlan::pieces_of(RowRange rows) const {
  std::vector<RowPiece> pieces;
  cut_.for_each_piece(rows, [&](RowRange inside, std::int64_t shift) { pieces.push_back({inside, shift}); });
  return pieces;
}

std::vector<RowPiece> StencilPlan::array_pieces(const Slab& slab, std::int64_t steps) const {
  return pieces_of(cut_.array_rows(slab, steps));
}

run::Block StencilPlan::block(const run::Phase& phase, std::int64_t index) const {
  const StencilPhase value = value_of(phase);
  run::Block block;
  auto& accesses = block.accesses;
  switch (value.work) {
    case StencilWork::rims:
      add_rim(value, index, accesses);
      break;
    case StencilWork::pass: {
      const Slab slab = cut_.slab(index, value.steps);
      add_slab(value, slab, block);
      block.operations = static_cast<double>(cut_.made_rows(slab, value.steps)) * static_cast<double>(spec_.width());
      break;
    }
    case StencilWork::snapshot:
      for (std::size_t f = 0; f < fields(); ++f) {
        const Box rows = rows_box(cut_.tile(index));
        Box target = Box::whole(arrays_[static_cast<std::size_t>(snapshots_)].shape);
        target.begin[0] = value.index;
        target.end[0] = value.index + 1;
        target.begin[1] = rows.begin[0];
        target.end[1] = rows.end[0];
        const auto field = static_cast<int>(f);
        accesses.push_back({{StencilSlot::own, f}, field, value.passes, rows, Mode::read});
        accesses.push_back({{StencilSlot::target, f}, snapshots_ + field, 1, target, Mode::write});
      }
      break;
    case StencilWork::record:
      add_record(value, index, accesses);
      break;
    case StencilWork::total:
      accesses.push_back({StencilSlot::changes, changes_, value.index + 1, changes_tile(index), Mode::read});
      break;
    case StencilWork::finish:
      for (std::size_t f = 0; f < fields(); ++f) {
        run::Access own{
            {StencilSlot::own, f}, static_cast<int>(f), value.passes, rows_box(cut_.tile(index)), Mode::update};
        own.made = arrays_[f].generations;
        accesses.push_back(std::move(own));
      }
      break;
  }
  return block;
}

void StencilPlan::add_slab(const StencilPhase& phase, const Slab& slab, run::Block& block) const {
  if (cut_.streams()) add_rows_of_stream(phase, slab, block);
  else add_rows_in_place(phase, slab, block);
  if (traces_ >= 0) add_handed_on(StencilSlot::traces, traces_, phase, slab, block);
  for (std::size_t a = 0; a < static_cast<std::size_t>(spec_.arrays); ++a) {
    for (const RowPiece& piece : array_pieces(slab, phase.steps)) {
      const int array = first_array_ + static_cast<int>(a);
      block.accesses.push_back({{StencilSlot::array, a}, array, 0, rows_box(piece.rows), Mode::read});
    }
  }
  if (changes_ >= 0 && timeline_.is_checked(phase)) {
    const RowRange rows = cut_.result_rows(slab);
    const std::int64_t check = (phase.step + phase.steps) / events_.check_every;
    const Box box{{rows.begin}, {rows.end}};
    if (!box.empty()) block.accesses.push_back({StencilSlot::changes, changes_, check, box, Mode::write});
  }
}

void StencilPlan::add_rows_in_place(const StencilPhase& phase, const Slab& slab, run::Block& block) const {
  for (std::size_t f = 0; f < fields(); ++f) {
    const auto field = static_cast<int>(f);
    block.accesses.push_back({{StencilSlot::own, f}, field, phase.passes, rows_box(slab.rows), Mode::update});
    const auto rim = [&](StencilSlot slot, std::int64_t side) {
      const Box tile = rim_tile(2 * slab.part + side);
      block.accesses.push_back({{slot, f}, rims_ + field, 2 * phase.passes + 1, tile, Mode::update});
    };
    if (slab.above.count() > 0) rim(StencilSlot::rim_above, 0);
    if (slab.below.count() > 0) rim(StencilSlot::rim_below, 1);
  }
}

/// Lists the tiles that come first, and the carry last: the executor brings tiles before there is memory for all, and
/// while the carry is with the slab above.
void StencilPlan::add_rows_of_stream(const StencilPhase& phase, const Slab& slab, run::Block& block) const {
  const RowRange taken = cut_.taken_rows(slab, phase.steps);
  for (std::size_t f = 0; f < fields(); ++f) {
    const auto field = static_cast<int>(f);
    for (const RowPiece& piece : pieces_of(taken)) {
      block.accesses.push_back({{StencilSlot::own, f}, field, phase.passes, rows_box(piece.rows), Mode::read});
    }
  }
  const std::int64_t turn = cut_.leads_of(slab.part) * phase.passes + slab.turn;
  for (std::size_t f = 0; f < fields(); ++f) {
    const int field = static_cast<int>(f), room = room_ + field;
    if (!slab.leads) {
      block.accesses.push_back({{StencilSlot::left, f}, field, phase.passes + 1, rows_box(slab.rows), Mode::write});
      continue;
    }
    const Extents& shape = arrays_[static_cast<std::size_t>(room)].shape;
    const Box tile{{slab.part, 0, 0}, {slab.part + 1, shape[1], shape[2]}};
    block.accesses.push_back({{StencilSlot::target, f}, room, turn + 1, tile, Mode::write});
    block.last_uses.push_back({room, turn + 1, tile});
  }
  for (std::size_t f = 0; f < fields(); ++f) {
    add_handed_on({StencilSlot::carry, f}, carry_ + static_cast<int>(f), phase, slab, block);
  }
  for (const RowPiece& piece : pieces_of(taken)) {
    const std::int64_t height = spec_.tile_rows();
    for (std::int64_t tile = piece.rows.begin / height; tile * height < piece.rows.end; ++tile) {
      if (cut_.last_to_take(tile, phase.steps) != cut_.block_of(slab)) continue;
      for (std::size_t f = 0; f < fields(); ++f) {
        block.last_uses.push_back({static_cast<int>(f), phase.passes, rows_box(cut_.tile(tile))});
      }
    }
  }
}

/// Adds an array of which each part has a tile: the first slab of the part in the first pass writes it, all others
/// update it.
void StencilPlan::add_handed_on(run::Slot slot, int array, const StencilPhase& phase, const Slab& slab,
                                run::Block& block) const {
  const Extents& shape = arrays_[static_cast<std::size_t>(array)].shape;
  Box tile = Box::whole(shape);
  tile.begin[0] = slab.part;
  tile.end[0] = slab.part + 1;
  const std::int64_t before = traces_generation(phase.passes) + slab.turn;
  const std::int64_t made = slab.last ? traces_generation(phase.passes + 1) : before + 1;
  if (before == 0) {
    block.accesses.push_back({slot, array, made, tile, Mode::write});
    return;
  }
  run::Access update{slot, array, before, tile, Mode::update};
  update.made = made;
  block.accesses.push_back(std::move(update));
}

RowRange StencilPlan::recorded_times(const StencilPhase& phase, std::int64_t index) const {
  const stencil::Points& points = *spec_.points;
  const std::int64_t begin = points.times(phase.step), end = points.times(phase.step + phase.steps);
  const std::int64_t times = arrays_[static_cast<std::size_t>(receivers_)].tile[0], tile = begin / times + index;
  return {std::max(begin, tile * times), std::min(end, (tile + 1) * times)};
}

std::int64_t StencilPlan::record_blocks(const StencilPhase& phase) const {
  std::int64_t blocks = 1;
  while (recorded_times(phase, blocks).count() > 0) ++blocks;
  return blocks;
}

void StencilPlan::add_record(const StencilPhase& phase, std::int64_t index,
                             std::vector<run::Access>& accesses) const {
  const RowRange times = recorded_times(phase, index);
  if (times.count() == 0) return;
  Box traces = Box::whole(arrays_[static_cast<std::size_t>(traces_)].shape);
  traces.begin[1] = times.begin - spec_.points->times(phase.step);
  traces.end[1] = times.end - spec_.points->times(phase.step);
  accesses.push_back(
      {StencilSlot::traces, traces_, traces_generation(phase.passes + 1), traces, Mode::read, run::View::contiguous});
  accesses.push_back({StencilSlot::target,
                      receivers_,
                      1,
                      {{times.begin, 0}, {times.end, std::ssize(spec_.points->receivers)}},
                      Mode::write});
}

RowRange StencilPlan::rim_of(std::int64_t index, std::int64_t steps) const {
  return index % 2 == 0 ? cut_.rim_above(index / 2, steps) : cut_.rim_below(index / 2, steps);
}

Box StencilPlan::rim_tile(std::int64_t index) const {
  const Extents& shape = arrays_[static_cast<std::size_t>(rims_)].shape;
  return {{index, 0, 0}, {index + 1, shape[1], shape[2]}};
}

void StencilPlan::add_rim(const StencilPhase& phase, std::int64_t index, std::vector<run::Access>& accesses) const {
  const RowRange rim = rim_of(index, phase.steps);
  if (rim.count() == 0) return;
  for (std::size_t f = 0; f < fields(); ++f) {
    const auto field = static_cast<int>(f);
    for (const RowPiece& piece : pieces_of(rim)) {
      accesses.push_back(
          {{StencilSlot::own, f}, field, phase.passes, rows_box(piece.rows), Mode::read, run::View::contiguous});
    }
    accesses.push_back({{StencilSlot::target, f}, rims_ + field, 2 * phase.passes + 1, rim_tile(index), Mode::write});
  }
}

Box StencilPlan::changes_tile(std::int64_t index) const {
  return {{index * total_rows}, {std::min(spec_.extents[0], (index + 1) * total_rows)}};
}

}  // namespace terrace::stages
