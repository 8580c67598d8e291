// The blocks of long pairs of a plan of pairs, and their scores as other blocks take them.
#include <algorithm>

#include "pipeline/base/rounding.hpp"
#include "stages/wavefront/pairs/cells.hpp"
#include "stages/wavefront/pairs/plan.hpp"

namespace terrace::stages {

using run::Mode;

void PairsPlan::add_known() {
  const std::int64_t count = definition_.long_pairs.count(), tile = std::min(count, cut_.swept);
  swept_blocks_ = ceiling(count, cut_.swept);
  const auto add_array = [&](const char* name, ElementType type, std::int64_t values) {
    run::ArraySpec array;
    array.name = name;
    array.role = run::Role::scratch;
    array.type = type;
    array.shape = {values * count};
    array.tile = {values * tile};
    array.kept = 1;
    return add(std::move(array));
  };
  known_scores_ = add_array("known_scores", spec().pairs.value, 1);
  if (spec().pairs.ends) known_ends_ = add_array("known_ends", ElementType::i64, end_values);
}

ItemRange PairsPlan::swept_of(std::int64_t index) const {
  return {index * cut_.swept, std::min(definition_.long_pairs.count(), (index + 1) * cut_.swept)};
}

std::vector<ItemRange> PairsPlan::runs_of_swept(std::int64_t index, int side) const {
  std::vector<std::int64_t> items;
  const auto [begin, end] = swept_of(index);
  for (std::int64_t number = begin; number < end; ++number) {
    items.push_back(definition_.long_pairs.pair(number)[static_cast<std::size_t>(side)]);
  }
  return runs_of(std::move(items), side);
}

run::Block PairsPlan::swept_block(std::int64_t index) const {
  const auto [begin, end] = swept_of(index);
  run::Block made;
  for (const int side : {0, 1}) read_runs(runs_of_swept(index, side), side, made);
  made.operations = PairCells(sides(), pairs(), spec().pairs.settings).of_long(definition_.long_pairs, begin, end);
  made.accesses.push_back({PairsSlot::scores, known_scores_, 1, {{begin}, {end}}, Mode::write});
  if (known_ends_ >= 0) {
    made.accesses.push_back(
        {PairsSlot::ends, known_ends_, 1, {{end_values * begin}, {end_values * end}}, Mode::write});
  }
  return made;
}

pairs::SweepsTask PairsPlan::swept_task(const run::BlockView& view, pairs::SweptPairs& listed) const {
  std::vector<pairs::ItemRun> runs[2];
  for (const int side : {0, 1}) {
    bind_runs(runs_of_swept(view.index, side), side, view, runs[side]);
  }
  const auto item_of = [&](int side, std::int64_t item, pairs::i64& count) {
    const auto& of = runs[side];
    const auto& run = *std::find_if(of.begin(), of.end(), [&](const pairs::ItemRun& one) {
      return item >= one.first && item < one.first + one.count;
    });
    const pairs::i64* begin = run.begin + (item - run.first);
    count = begin[1] - begin[0];
    const std::size_t element = size_of((side == 0 ? sides().rows : sides().columns).source->type());
    return static_cast<const void*>(static_cast<const std::byte*>(run.elements) +
                                    static_cast<std::size_t>(begin[0] - run.begin[0]) * element);
  };
  const auto [begin, end] = swept_of(view.index);
  for (std::int64_t number = begin; number < end; ++number) {
    const auto [row, column] = definition_.long_pairs.pair(number);
    pairs::SweptPair& pair = listed.pairs.emplace_back();
    pair.rows = item_of(0, row, pair.row_count);
    pair.columns = item_of(1, column, pair.column_count);
  }
  const run::AccessView* ends = view.find(PairsSlot::ends);
  return {&listed, view.find(PairsSlot::scores)->tiles.at(0).data,
          ends == nullptr ? nullptr : reinterpret_cast<pairs::End*>(ends->tiles.at(0).data)};
}

std::vector<ItemRange> PairsPlan::known_of(std::int64_t number) const {
  std::vector<ItemRange> known;
  const LongPairs& apart = definition_.long_pairs;
  const auto add_entries = [&](std::int64_t begin, std::int64_t end) {
    const ItemRange range{apart.before(begin), apart.before(end)};
    if (range.begin < range.end) known.push_back(range);
  };
  if (apart.count() == 0) return known;
  if (!pairs().is_matrix()) {
    add_entries(first_entry(number), end_of_entries(number));
    return known;
  }
  const PairsBlock block = block_of(number);
  for (std::int64_t row = block.row_begin; row < block.row_end; ++row) {
    const std::int64_t entry = row * sides().columns.count();
    add_entries(entry + block.column_begin, entry + block.column_end);
  }
  return known;
}

void PairsPlan::read_known(std::int64_t number, run::Block& block) const {
  const auto read = [&](PairsSlot slot, int row, int array, const ItemRange& range, std::int64_t values) {
    const Box box{{values * range.begin}, {values * range.end}};
    block.accesses.push_back({run::Slot(slot, row), array, 1, box, Mode::read, run::View::contiguous});
  };
  for (int row = 0; const ItemRange& range : known_of(number)) {
    read(PairsSlot::known_scores, row, known_scores_, range, 1);
    if (known_ends_ >= 0) read(PairsSlot::known_ends, row, known_ends_, range, end_values);
    ++row;
  }
}

bool PairsPlan::list_known(const run::Phase& phase, const run::BlockView& view, pairs::KnownScores& known) const {
  const std::int64_t block = number_of(phase, view.index);
  const auto data = [&](PairsSlot slot, int row) -> const std::byte* {
    const run::AccessView* seen = view.find(run::Slot(slot, row));
    return seen == nullptr ? nullptr : seen->tiles.at(0).data;
  };
  for (int row = 0; const ItemRange& range : known_of(block)) {
    known.runs.push_back({range.end - range.begin, data(PairsSlot::known_scores, row),
                          reinterpret_cast<const pairs::End*>(data(PairsSlot::known_ends, row))});
    ++row;
    for (std::int64_t number = range.begin; number < range.end; ++number) {
      known.numbers.push_back(definition_.long_pairs.entry(number));
    }
  }
  if (!pairs().is_matrix()) {
    for (pairs::i64& number : known.numbers) number -= first_entry(block);
    return !known.numbers.empty();
  }
  const PairsBlock of = block_of(block);
  const std::int64_t columns = sides().columns.count(), of_block = of.column_end - of.column_begin;
  for (pairs::i64& entry : known.numbers) {
    entry = (entry / columns - of.row_begin) * of_block + entry % columns - of.column_begin;
  }
  return !known.numbers.empty();
}

}  // namespace terrace::stages
