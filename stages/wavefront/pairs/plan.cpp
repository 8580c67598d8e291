#include "stages/wavefront/pairs/plan.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/rounding.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/wavefront/pairs/worker.hpp"

namespace terrace::stages {

using pairs::KeptTask;
using run::Mode;
using run::Role;

namespace {

constexpr std::int64_t listed_blocks_of_round = 16;  // where pairs are a list. Not measured

constexpr run::SlotField<KeptTask> pair_slots[] = {
    {PairsSlot::rows, "rows",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) { task.pairs.rows = piece.tile.data; }},
    {PairsSlot::columns, "columns",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) {
       task.pairs.columns = piece.tile.data;
     }},
    {PairsSlot::scores, "scores",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) { task.scores = piece.tile.data; }},
    {PairsSlot::hits, "hits",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) {
       task.hits = reinterpret_cast<pairs::i64*>(piece.tile.data);
     }},
    {PairsSlot::hit_scores, "hit scores",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) { task.hit_scores = piece.tile.data; }},
    {PairsSlot::ends, "ends",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) {
       task.ends = reinterpret_cast<pairs::End*>(piece.tile.data);
     }},
};

/// Sets of one tile are read in place, others are assembled.
run::Access read_items(run::Slot slot, int array, const PairSide& side, std::int64_t tile, const ItemRange& range) {
  const io::ItemSet& items = *side.items;
  const Box box{{items.begin(range.begin)}, {items.begin(range.end)}};
  return {slot, array, 0, box, Mode::read, is_whole(side, tile) ? run::View::tiles : run::View::contiguous};
}

}  // namespace

PairsPlan::PairsPlan(PairsDefinition definition, PairsCut cut)
    : definition_(std::move(definition)), cut_(cut), across_(ceiling(sides().columns.count(), cut_.columns)) {
  blocks_ = pairs().is_matrix() ? ceiling(sides().rows.count(), cut_.rows) * across_
                                : ceiling(pairs().count(), cut_.entries);
  if (!pairs().is_matrix()) across_ = std::clamp<std::int64_t>(blocks_, 1, listed_blocks_of_round);
  definition_.spec.pairs.most_pairs = pairs_of_block(pairs(), cut_);
  rows_ = add_input("rows", sides().rows, cut_.row_tile);
  columns_ = add_input("columns", sides().columns, cut_.column_tile);
  if (spec().counts) {
    add_list();
  } else if (spec().best > 0) {
    hits_ = add_hits("hit", ElementType::i64);
    hit_scores_ = add_hits("hit_score", spec().stored);
  } else {
    scores_ = add_result("score", spec().stored, 1);
    if (spec().pairs.ends) ends_ = add_result("end", ElementType::i64, end_values);
  }
}

std::int64_t PairsPlan::most_listed() const {
  constexpr std::int64_t most = std::int64_t{1} << 36;  // so that no file is longer than file systems allow
  return std::clamp<std::int64_t>(pairs().count(), 1, most);
}

/// The list of pairs that count, and the scores of a round, each of whose blocks writes a tile anew.
void PairsPlan::add_list() {
  const std::int64_t most = most_listed();
  for (const char* name : {"pair", "score"}) {
    const bool is_pair = name == std::string_view("pair");
    run::ArraySpec list;
    list.name = name;
    list.role = Role::result;
    list.type = is_pair ? ElementType::i64 : spec().stored;
    list.shape = shape_of_entries(most, is_pair ? end_values : 1);
    list.tile = shape_of_entries(std::min(most, cut_.list_tile), is_pair ? end_values : 1);
    list.found = true;
    (is_pair ? pairs_ : scores_) = add(std::move(list));
  }
  const bool matrix = pairs().is_matrix();
  run::ArraySpec round;
  round.name = "round";
  round.role = Role::scratch;
  round.type = spec().stored;
  round.shape = matrix ? Extents{cut_.rows, sides().columns.count()} : Extents{1, across_ * cut_.entries};
  round.tile = matrix ? Extents{cut_.rows, cut_.columns} : Extents{1, cut_.entries};
  round.kept = 1;
  round_ = add(std::move(round));
}

int PairsPlan::add(run::ArraySpec spec) {
  arrays_.push_back(std::move(spec));
  return static_cast<int>(arrays_.size()) - 1;
}

int PairsPlan::add_input(const char* name, const PairSide& side, std::int64_t tile) {
  run::ArraySpec input;
  input.name = name;
  input.role = Role::input;
  input.type = side.source->type();
  input.shape = side.source->shape();
  input.tile = {tile};
  input.source = side.source;
  return add(std::move(input));
}

int PairsPlan::add_result(const char* name, ElementType type, std::int64_t values) {
  run::ArraySpec result;
  result.name = name;
  result.role = Role::result;
  result.type = type;
  result.shape = result_shape(values);
  result.tile = result_tile(values);
  return add(std::move(result));
}

/// Each block of a row of blocks merges its hits into those of the blocks before.
int PairsPlan::add_hits(const char* name, ElementType type) {
  run::ArraySpec result;
  result.name = name;
  result.role = Role::result;
  result.type = type;
  result.shape = shape_of_hits(sides(), sides().rows.count(), spec().best);
  result.tile = shape_of_hits(sides(), cut_.rows, spec().best);
  result.generations = across_;
  result.kept = 1;
  return add(std::move(result));
}

run::Access PairsPlan::hits_of(run::Slot slot, int array, std::int64_t index) const {
  const PairsBlock block = block_of(index);
  const std::int64_t number = index % across_;
  Box box = Box::whole(shape_of_hits(sides(), block.row_end, spec().best));
  if (!sides().rows.single) box.begin[0] = block.row_begin;
  if (number == 0) return {slot, array, 1, box, Mode::write};
  return {slot, array, number, box, Mode::update};
}

Extents PairsPlan::result_shape(std::int64_t values) const {
  if (pairs().is_matrix()) return shape_of_pairs(sides(), sides().rows.count(), sides().columns.count(), values);
  return shape_of_entries(pairs().count(), values);
}

Extents PairsPlan::result_tile(std::int64_t values) const {
  if (pairs().is_matrix()) return shape_of_pairs(sides(), cut_.rows, cut_.columns, values);
  return shape_of_entries(cut_.entries, values);
}

Box PairsPlan::result_box(std::int64_t index, std::int64_t values) const {
  if (pairs().is_matrix()) return box_of_pairs(sides(), block_of(index), values);
  Box box{{first_entry(index)}, {end_of_entries(index)}};
  if (values > 1) box.begin.push_back(0), box.end.push_back(values);
  return box;
}

PairsBlock PairsPlan::block_of(std::int64_t index) const {
  const std::int64_t row = index / across_ * cut_.rows, column = index % across_ * cut_.columns;
  return {row, std::min(sides().rows.count(), row + cut_.rows), column,
          std::min(sides().columns.count(), column + cut_.columns)};
}

std::int64_t PairsPlan::end_of_entries(std::int64_t index) const {
  return std::min(pairs().count(), first_entry(index) + cut_.entries);
}

ItemPair PairsPlan::pair_of(const run::Phase& phase, std::int64_t index, std::int64_t number) const {
  const std::int64_t block = number_of(phase, index);
  if (!pairs().is_matrix()) return pairs().pair(first_entry(block) + number);
  const PairsBlock of = block_of(block);
  const std::int64_t columns = of.column_end - of.column_begin;
  return {of.row_begin + number / columns, of.column_begin + number % columns};
}

std::int64_t PairsPlan::rows_of(const run::Phase& phase, std::int64_t index) const {
  if (!pairs().is_matrix()) return 1;
  const PairsBlock of = block_of(number_of(phase, index));
  return of.row_end - of.row_begin;
}

std::int64_t PairsPlan::number_of(const run::Phase& phase, std::int64_t index) const {
  return spec().counts ? phase.value.as<PairsPhase>().round * across_ + index : index;
}

std::int64_t PairsPlan::rounds() const { return ceiling(blocks_, across_); }

std::int64_t PairsPlan::blocks_of_round(std::int64_t round) const {
  return std::min(across_, blocks_ - round * across_);
}

Box PairsPlan::box_in_round(std::int64_t number, std::int64_t row) const {
  if (!pairs().is_matrix()) {
    const std::int64_t begin = number % across_ * cut_.entries;
    return {{0, begin}, {1, begin + end_of_entries(number) - first_entry(number)}};
  }
  const PairsBlock of = block_of(number);
  const std::int64_t rows = of.row_end - of.row_begin;
  return {{std::max<std::int64_t>(0, row), of.column_begin}, {row < 0 ? rows : row + 1, of.column_end}};
}

std::vector<ItemRange> PairsPlan::runs_of(std::vector<std::int64_t> items, int side) const {
  const PairSide& of = side == 0 ? sides().rows : sides().columns;
  if (is_whole(of, side == 0 ? cut_.row_tile : cut_.column_tile)) return {{0, of.count()}};
  std::sort(items.begin(), items.end());
  std::vector<ItemRange> runs;
  for (const std::int64_t item : items) {
    if (!runs.empty() && item <= runs.back().end) runs.back().end = std::max(runs.back().end, item + 1);
    else runs.push_back({item, item + 1});
  }
  return runs;
}

std::vector<ItemRange> PairsPlan::runs_of_block(std::int64_t index, int side) const {
  std::vector<std::int64_t> items;
  for (std::int64_t entry = first_entry(index); entry < end_of_entries(index); ++entry) {
    items.push_back(pairs().pair(entry)[static_cast<std::size_t>(side)]);
  }
  return runs_of(std::move(items), side);
}

void PairsPlan::read_runs(const std::vector<ItemRange>& runs, int side, run::Block& block) const {
  const bool rows = side == 0;
  for (int number = 0; const ItemRange& run : runs) {
    const run::Slot slot(rows ? PairsSlot::rows : PairsSlot::columns, number++);
    block.accesses.push_back(rows ? read_items(slot, rows_, sides().rows, cut_.row_tile, run)
                                  : read_items(slot, columns_, sides().columns, cut_.column_tile, run));
  }
}

void PairsPlan::bind_runs(const std::vector<ItemRange>& runs, int side, const run::BlockView& view,
                          std::vector<pairs::ItemRun>& bound) const {
  const PairSide& of = side == 0 ? sides().rows : sides().columns;
  for (int number = 0; const ItemRange& run : runs) {
    const run::AccessView* seen = view.find({side == 0 ? PairsSlot::rows : PairsSlot::columns, number++});
    // There is no view of a run that has no elements.
    bound.push_back({run.begin, run.end - run.begin, begins_of_items(of, run.begin),
                     seen == nullptr ? nullptr : seen->tiles.at(0).data});
  }
}

std::optional<run::Phase> PairsPlan::phase(std::int64_t number, const run::Tally&) const {
  if (blocks() == 0) return std::nullopt;
  if (!spec().counts) {
    if (number > 0) return std::nullopt;
    return run::Phase{number, blocks(), spec().best > 0 ? run::Order::in_turn : run::Order::any};
  }
  if (number == 0)
    return run::Phase{number, blocks_of_round(0), run::Order::any, PairsPhase{PairsPhase::compute, 0, 0}};
  const std::int64_t round = found().rounds();
  if (!found().copied()) {
    const auto count = std::ssize(found().pieces());
    return run::Phase{number, count, run::Order::any, PairsPhase{PairsPhase::copy, round - 1, 0}};
  }
  if (round < rounds()) {
    return run::Phase{number, blocks_of_round(round), run::Order::any, PairsPhase{PairsPhase::compute, round, 0}};
  }
  const bool ends_in_tile = found().count() % cut_.list_tile != 0 && found().count() < most_listed();
  if (found().filled() || !ends_in_tile) return std::nullopt;
  return run::Phase{number, 1, run::Order::any, PairsPhase{PairsPhase::fill, round, found().count()}};
}

std::int64_t PairsPlan::entries(int array, const run::Tally& tally) const {
  if (spec().counts && (array == pairs_ || array == scores_)) return found().count();
  return run::Plan::entries(array, tally);
}

std::string PairsPlan::part(const run::Phase& phase) const {
  if (!spec().counts) return "";
  return kind_of(phase) == PairsPhase::compute ? "pairs" : "list";
}

run::Block PairsPlan::block(const run::Phase& phase, std::int64_t index) const {
  if (spec().counts && kind_of(phase) != PairsPhase::compute) return copies(phase, index);
  const std::int64_t number = number_of(phase, index);
  run::Block made;
  if (pairs().is_matrix()) {
    const PairsBlock block = block_of(number);
    const io::ItemSet &rows = *sides().rows.items, &columns = *sides().columns.items;
    made.accesses = {
        read_items(PairsSlot::rows, rows_, sides().rows, cut_.row_tile, {block.row_begin, block.row_end}),
        read_items(PairsSlot::columns, columns_, sides().columns, cut_.column_tile,
                   {block.column_begin, block.column_end})};
    made.operations = static_cast<double>(rows.begin(block.row_end) - rows.begin(block.row_begin)) *
                      static_cast<double>(columns.begin(block.column_end) - columns.begin(block.column_begin));
  } else {
    made = listed_block(number);
  }
  if (spec().counts) {
    const std::int64_t generation = phase.value.as<PairsPhase>().round + 1;
    made.accesses.push_back({PairsSlot::scores, round_, generation, box_in_round(number, -1), Mode::write});
    return made;
  }
  if (hits_ >= 0) {
    made.accesses.push_back(hits_of(PairsSlot::hits, hits_, number));
    made.accesses.push_back(hits_of(PairsSlot::hit_scores, hit_scores_, number));
    return made;
  }
  made.accesses.push_back({PairsSlot::scores, scores_, 1, result_box(number, 1), Mode::write});
  if (ends_ >= 0) made.accesses.push_back({PairsSlot::ends, ends_, 1, result_box(number, end_values), Mode::write});
  return made;
}

run::Access PairsPlan::list_part(run::Slot slot, int array, std::int64_t begin, std::int64_t end,
                                 std::int64_t values) const {
  Box box{{begin}, {end}};
  if (values > 1) box.begin.push_back(0), box.end.push_back(values);
  return {slot, array, 1, box, Mode::write};
}

run::Block PairsPlan::copies(const run::Phase& phase, std::int64_t index) const {
  const auto value = phase.value.as<PairsPhase>();
  run::Block made;
  if (value.kind == PairsPhase::fill) {
    const std::int64_t end = std::min(most_listed(), ceiling(value.count, cut_.list_tile) * cut_.list_tile);
    made.accesses = {list_part(PairsSlot::list_pairs, pairs_, value.count, end, end_values),
                     list_part(PairsSlot::list_scores, scores_, value.count, end, 1)};
    return made;
  }
  const FoundPiece& piece = found().pieces()[static_cast<std::size_t>(index)];
  const Box scores = box_in_round(value.round * across_ + piece.block, piece.row);
  made.accesses = {{PairsSlot::scores, round_, value.round + 1, scores, Mode::read},
                   list_part(PairsSlot::list_pairs, pairs_, piece.begin, piece.begin + piece.count, end_values),
                   list_part(PairsSlot::list_scores, scores_, piece.begin, piece.begin + piece.count, 1)};
  return made;
}

void PairsPlan::list_copies(const run::Phase& phase, const run::BlockView& view, CopiedPairs& copied) const {
  const auto value = phase.value.as<PairsPhase>();
  if (value.kind == PairsPhase::copy) {
    const FoundPiece piece = found().pieces()[static_cast<std::size_t>(view.index)];
    const std::int64_t number = value.round * across_ + piece.block;
    const run::TileView& scores = view.find(PairsSlot::scores)->tiles.at(0);
    copied.scores = scores.data;
    copied.pairs = scores.box.volume();
    if (pairs().is_matrix()) {
      const PairsBlock of = block_of(number);
      copied.pair_of = [row = of.row_begin + piece.row, first = of.column_begin](std::int64_t pair) {
        return ItemPair{row, first + pair};
      };
    } else {
      copied.pair_of = [this, first = first_entry(number)](std::int64_t pair) { return pairs().pair(first + pair); };
    }
  }
  const auto& lists = view.find(PairsSlot::list_pairs)->tiles;
  const auto& scores = view.find(PairsSlot::list_scores)->tiles;
  for (std::size_t part = 0; part < lists.size(); ++part) {
    copied.parts.push_back(
        {scores[part].box.volume(), reinterpret_cast<std::int64_t*>(lists[part].data), scores[part].data});
  }
}

run::Block PairsPlan::listed_block(std::int64_t index) const {
  run::Block made;
  for (const int side : {0, 1}) read_runs(runs_of_block(index, side), side, made);
  for (std::int64_t entry = first_entry(index); entry < end_of_entries(index); ++entry) {
    const auto [row, column] = pairs().pair(entry);
    made.operations += static_cast<double>(sides().rows.items->length(row)) *
                       static_cast<double>(sides().columns.items->length(column));
  }
  return made;
}

KeptTask PairsPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const std::int64_t number = number_of(phase, view.index);
  const PairsBlock block = block_of(number);
  KeptTask task{};
  task.pairs = pairs_task(sides(), block);
  task.first_column = block.column_begin;
  task.begins = number % across_ == 0;
  run::bind_slots(pair_slots, view, task);
  task.pairs.rows = origin_of_items(task.pairs.rows, sides().rows, block.row_begin);
  task.pairs.columns = origin_of_items(task.pairs.columns, sides().columns, block.column_begin);
  return task;
}

KeptTask PairsPlan::listed_task(const run::BlockView& view) const {
  KeptTask task{};
  if (const run::AccessView* scores = view.find(PairsSlot::scores)) task.scores = scores->tiles.at(0).data;
  if (const run::AccessView* ends = view.find(PairsSlot::ends)) {
    task.ends = reinterpret_cast<pairs::End*>(ends->tiles.at(0).data);
  }
  return task;
}

void PairsPlan::list_pairs(const run::Phase& phase, const run::BlockView& view, pairs::ListedPairs& listed) const {
  const std::int64_t block = number_of(phase, view.index);
  bind_runs(runs_of_block(block, 0), 0, view, listed.rows);
  bind_runs(runs_of_block(block, 1), 1, view, listed.columns);
  for (std::int64_t entry = first_entry(block); entry < end_of_entries(block); ++entry) {
    const auto [row, column] = pairs().pair(entry);
    listed.pairs.push_back({row, column});
  }
}

std::unique_ptr<run::Worker> PairsPlan::make_worker(device::Context& context) const {
  auto kernel = definition_.method->make(spec().pairs, context, nullptr);
  return std::make_unique<PairsWorker>(*this, pairs::make_kept(spec(), std::move(kernel), context));
}

}  // namespace terrace::stages
