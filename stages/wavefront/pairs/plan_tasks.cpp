// The descriptors of blocks of pairs, and the workers that receive them.
#include "pipeline/run/slots.hpp"
#include "stages/wavefront/pairs/plan.hpp"
#include "stages/wavefront/pairs/worker.hpp"

namespace terrace::stages {

using pairs::KeptTask;

namespace {

constexpr run::SlotField<KeptTask> pair_slots[] = {
    {PairsSlot::rows, "rows",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) { task.pairs.rows = piece.tile.data; }},
    {PairsSlot::columns, "columns",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) {
       task.pairs.columns = piece.tile.data;
     }},
    {PairsSlot::packed, "packed list",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) { task.packed.to = piece.tile.data; }},
    {PairsSlot::computed, "computed scores",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) { task.pairs.scores = piece.tile.data; }},
    {PairsSlot::computed_ends, "computed ends",
     [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext&) {
       task.pairs.ends = reinterpret_cast<pairs::End*>(piece.tile.data);
     }},
    // list_known() finds these.
    {PairsSlot::known_scores, "known scores", [](KeptTask&, const run::SlotPiece&, const run::NoContext&) {},
     pairs::most_counted_rows},
    {PairsSlot::known_ends, "known ends", [](KeptTask&, const run::SlotPiece&, const run::NoContext&) {},
     pairs::most_counted_rows},
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

}  // namespace

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

KeptTask PairsPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const std::int64_t number = number_of(phase, view.index);
  KeptTask task{};
  if (pairs().is_matrix()) {
    const PairsBlock block = block_of(number);
    task.pairs = pairs_task(sides(), block);
    task.first_column = block.column_begin;
    task.begins = number % across_ == 0;
    run::bind_slots(pair_slots, view, task);
    task.pairs.rows = origin_of_items(task.pairs.rows, sides().rows, block.row_begin);
    task.pairs.columns = origin_of_items(task.pairs.columns, sides().columns, block.column_begin);
    return task;
  }
  task.pairs.row_items = 1;
  task.pairs.column_items = task.pairs.count = pairs_of(number);
  task.packed = {nullptr, !is_whole_side(0), !is_whole_side(1)};
  const auto data = [&](PairsSlot slot) {
    const run::AccessView* seen = view.find(slot);
    return seen == nullptr ? nullptr : seen->tiles.at(0).data;
  };
  task.packed.to = data(PairsSlot::packed);
  task.pairs.scores = data(PairsSlot::computed);
  task.pairs.ends = reinterpret_cast<pairs::End*>(data(PairsSlot::computed_ends));
  task.scores = data(PairsSlot::scores);
  task.ends = reinterpret_cast<pairs::End*>(data(PairsSlot::ends));
  return task;
}

pairs::PairsTask PairsPlan::device_task(const run::Phase& phase, const run::BlockView& view,
                                        const pairs::i64* row_begin, const pairs::i64* column_begin) const {
  const KeptTask kept = task(phase, view);
  pairs::PairsTask made = kept.pairs;
  if (made.scores == nullptr) made.scores = kept.scores;
  if (made.ends == nullptr) made.ends = kept.ends;
  const std::int64_t number = number_of(phase, view.index);
  if (pairs().is_matrix()) {
    const PairsBlock block = block_of(number);
    made.row_begin = row_begin + block.row_begin;
    made.column_begin = column_begin + block.column_begin;
    return made;
  }
  const pairs::PackedPlaces at = packed_places(number);
  const auto bind = [&](int side, const pairs::i64* begins, std::size_t packed_begins, std::size_t packed_items,
                        const void*& items, const pairs::i64*& begin, pairs::i64& count) {
    if (is_whole_side(side)) {
      const run::AccessView* seen = view.find({side == 0 ? PairsSlot::rows : PairsSlot::columns, 0});
      items = seen == nullptr ? nullptr : seen->tiles.at(0).data;
      begin = begins;
      count = side == 0 ? sides().rows.count() : sides().columns.count();
    } else {
      items = kept.packed.to + packed_items;
      begin = reinterpret_cast<const pairs::i64*>(kept.packed.to + packed_begins);
      count = packed_side(number, side).items;
    }
  };
  bind(0, row_begin, at.row_begin, at.rows, made.rows, made.row_begin, made.row_items);
  bind(1, column_begin, at.column_begin, at.columns, made.columns, made.column_begin, made.column_items);
  made.pairs = reinterpret_cast<const pairs::Pair*>(kept.packed.to + at.pairs);
  return made;
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
  if (!context.shares_host_memory()) return std::make_unique<DevicePairsWorker>(*this, context);
  auto kernel = steps_.on_device() ? nullptr : definition_.method->make(spec().pairs, context, nullptr);
  const bool sweeps = definition_.sweeps != nullptr && !steps_.on_device();
  return std::make_unique<PairsWorker>(
      *this, pairs::make_kept(spec(), std::move(kernel), context),
      sweeps ? definition_.sweeps->make(definition_.whole, context, nullptr) : nullptr);
}

}  // namespace terrace::stages
