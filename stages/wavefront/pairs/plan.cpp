#include "stages/wavefront/pairs/plan.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/rounding.hpp"
#include "stages/wavefront/pairs/cells.hpp"

namespace terrace::stages {

using run::Mode;
using run::Role;

namespace {

constexpr std::int64_t listed_blocks_of_round = 16;  // where pairs are a list. Not measured

/// Sets of one tile are read in place, others are assembled.
run::Access read_items(run::Slot slot, int array, const PairSide& side, std::int64_t tile, const ItemRange& range) {
  const io::ItemSet& items = *side.items;
  const Box box{{items.begin(range.begin)}, {items.begin(range.end)}};
  return {slot, array, 0, box, Mode::read, is_whole(side, tile) ? run::View::tiles : run::View::contiguous};
}

}  // namespace

PairsPlan::PairsPlan(PairsDefinition definition, PairsCut cut)
    : definition_(std::move(definition)),
      cut_(cut),
      steps_(definition_, cut_),
      across_(ceiling(sides().columns.count(), cut_.columns)) {
  blocks_ = pairs().is_matrix() ? ceiling(sides().rows.count(), cut_.rows) * across_
                                : ceiling(pairs().count(), cut_.entries);
  if (!pairs().is_matrix()) across_ = std::clamp<std::int64_t>(blocks_, 1, listed_blocks_of_round);
  definition_.spec.pairs.most_pairs = pairs_of_block(pairs(), cut_);
  rows_ = add_input("rows", sides().rows, cut_.row_tile);
  columns_ = add_input("columns", sides().columns, cut_.column_tile);
  if (steps_.keeps()) computed_ = add(steps_.scores());
  if (steps_.computes_ends()) computed_ends_ = add(steps_.ends());
  if (steps_.packs()) packed_ = add(steps_.lists());
  if (definition_.long_pairs.count() > 0) add_known();
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
  return place_of(phase, index).block + (spec().counts ? phase.value.as<PairsPhase>().round * across_ : 0);
}

int PairsPlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  if (kind_of(phase) == PairsPhase::sweep) return steps_.on_device() ? static_cast<int>(index % devices) : host;
  const bool computes = kind_of(phase) == PairsPhase::compute && place_of(phase, index).step == PairsStep::compute;
  return computes ? static_cast<int>(number_of(phase, index) % devices) : host;
}

std::int64_t PairsPlan::pairs_of(std::int64_t number) const {
  if (!pairs().is_matrix()) return end_of_entries(number) - first_entry(number);
  const PairsBlock of = block_of(number);
  return (of.row_end - of.row_begin) * (of.column_end - of.column_begin);
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

bool PairsPlan::is_whole_side(int side) const {
  return side == 0 ? is_whole(sides().rows, cut_.row_tile) : is_whole(sides().columns, cut_.column_tile);
}

std::vector<ItemRange> PairsPlan::runs_of(std::vector<std::int64_t> items, int side) const {
  const PairSide& of = side == 0 ? sides().rows : sides().columns;
  if (is_whole_side(side)) return {{0, of.count()}};
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
  for (std::int64_t entry = first_entry(index); !is_whole_side(side) && entry < end_of_entries(index); ++entry) {
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

std::optional<run::Phase> PairsPlan::phase(std::int64_t number, const run::Tally&) const {
  if (blocks() == 0) return std::nullopt;
  const std::int64_t first = swept_blocks() > 0 ? 1 : 0;
  if (number < first) {
    return run::Phase{number, swept_blocks(), run::Order::any, PairsPhase{PairsPhase::sweep, 0, 0}};
  }
  if (!spec().counts) {
    if (number > first) return std::nullopt;
    return run::Phase{number, blocks() * steps_.count(), spec().best > 0 ? run::Order::in_turn : run::Order::any};
  }
  const auto compute = [&](std::int64_t round) {
    return run::Phase{number, blocks_of_round(round) * steps_.count(), run::Order::any,
                      PairsPhase{PairsPhase::compute, round, 0}};
  };
  if (number == first) return compute(0);
  const std::int64_t round = found().rounds();
  if (!found().copied()) {
    const auto count = std::ssize(found().pieces());
    return run::Phase{number, count, run::Order::any, PairsPhase{PairsPhase::copy, round - 1, 0}};
  }
  if (round < rounds()) return compute(round);
  const bool ends_in_tile = found().count() % cut_.list_tile != 0 && found().count() < most_listed();
  if (found().filled() || !ends_in_tile) return std::nullopt;
  return run::Phase{number, 1, run::Order::any, PairsPhase{PairsPhase::fill, round, found().count()}};
}

std::int64_t PairsPlan::entries(int array, const run::Tally& tally) const {
  if (spec().counts && (array == pairs_ || array == scores_)) return found().count();
  return run::Plan::entries(array, tally);
}

std::string PairsPlan::part(const run::Phase& phase) const {
  if (kind_of(phase) == PairsPhase::sweep) return "long pairs";
  if (!spec().counts) return swept_blocks() > 0 ? "pairs" : "";
  return kind_of(phase) == PairsPhase::compute ? "pairs" : "list";
}

run::Block PairsPlan::block(const run::Phase& phase, std::int64_t index) const {
  if (kind_of(phase) == PairsPhase::sweep) return swept_block(index);
  if (spec().counts && kind_of(phase) != PairsPhase::compute) return copies(phase, index);
  const std::int64_t number = number_of(phase, index), count = pairs_of(number);
  const PairsStep step = place_of(phase, index).step;
  run::Block made;
  if (step != PairsStep::keep) read_pairs(number, step, made);
  if (step == PairsStep::pack) {
    const auto bytes = static_cast<std::int64_t>(packed_places(number).bytes);
    made.accesses.push_back(steps_.list_of(packed_, number, bytes, Mode::write));
    return made;
  }
  if (step != PairsStep::keep) made.operations = cells_of(number);
  const Mode mode = step == PairsStep::keep ? Mode::read : Mode::write;
  if (computed_ >= 0) made.accesses.push_back(steps_.scores_of(computed_, number, count, mode));
  if (computed_ends_ >= 0) made.accesses.push_back(steps_.ends_of(computed_ends_, number, count, mode));
  if (ends_ >= 0 && step != (computed_ends_ >= 0 ? PairsStep::compute : PairsStep::keep)) {
    made.accesses.push_back({PairsSlot::ends, ends_, 1, result_box(number, end_values), Mode::write});
  }
  if (step != PairsStep::compute || computed_ < 0) {
    write_kept(phase, number, made);
    read_known(number, made);
  }
  return made;
}

void PairsPlan::read_pairs(std::int64_t number, PairsStep step, run::Block& block) const {
  if (pairs().is_matrix()) {
    const PairsBlock of = block_of(number);
    block.accesses = {read_items(PairsSlot::rows, rows_, sides().rows, cut_.row_tile, {of.row_begin, of.row_end}),
                      read_items(PairsSlot::columns, columns_, sides().columns, cut_.column_tile,
                                 {of.column_begin, of.column_end})};
    return;
  }
  // A device has whole sets in its own memory; the items of others are packed.
  for (const int side : {0, 1}) {
    const bool reads = step == PairsStep::whole || (step == PairsStep::compute) == is_whole_side(side);
    if (reads) read_runs(runs_of_block(number, side), side, block);
  }
  if (step != PairsStep::compute) return;
  const auto bytes = static_cast<std::int64_t>(packed_places(number).bytes);
  block.accesses.push_back(steps_.list_of(packed_, number, bytes, Mode::read));
}

void PairsPlan::write_kept(const run::Phase& phase, std::int64_t number, run::Block& block) const {
  if (spec().counts) {
    const std::int64_t generation = phase.value.as<PairsPhase>().round + 1;
    block.accesses.push_back({PairsSlot::scores, round_, generation, box_in_round(number, -1), Mode::write});
  } else if (hits_ >= 0) {
    block.accesses.push_back(hits_of(PairsSlot::hits, hits_, number));
    block.accesses.push_back(hits_of(PairsSlot::hit_scores, hit_scores_, number));
  } else {
    block.accesses.push_back({PairsSlot::scores, scores_, 1, result_box(number, 1), Mode::write});
  }
}

double PairsPlan::cells_of(std::int64_t number) const {
  const PairCells cells(sides(), pairs(), spec().pairs.settings);
  double sum = 0;
  if (pairs().is_matrix()) sum = cells.of_block(block_of(number));
  for (std::int64_t entry = first_entry(number); !pairs().is_matrix() && entry < end_of_entries(number); ++entry) {
    sum += cells.of_entry(entry);
  }
  for (const ItemRange& known : known_of(number))
    sum -= cells.of_long(definition_.long_pairs, known.begin, known.end);
  return std::max(0.0, sum);
}

pairs::PackedSide PairsPlan::packed_side(std::int64_t number, int side) const {
  if (is_whole_side(side)) return {};
  const PairSide& of = side == 0 ? sides().rows : sides().columns;
  pairs::PackedSide packed{true};
  std::int64_t elements = 0;
  for (const ItemRange& run : runs_of_block(number, side)) {
    packed.items += run.end - run.begin;
    elements += of.items->begin(run.end) - of.items->begin(run.begin);
  }
  packed.bytes = static_cast<std::size_t>(elements) * size_of(of.source->type());
  return packed;
}

pairs::PackedPlaces PairsPlan::packed_places(std::int64_t number) const {
  return pairs::packed_places(pairs_of(number), packed_side(number, 0), packed_side(number, 1));
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

}  // namespace terrace::stages
