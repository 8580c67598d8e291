#include "stages/wavefront/pairs/aligned_plan.hpp"

#include <algorithm>
#include <utility>

#include "kernels/pairs/methods.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/wavefront/pairs/worker.hpp"

namespace terrace::stages {

using run::Mode;
using run::Role;

namespace {

constexpr std::int64_t blocks_together = 16;                // Not measured
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;  // of all cigars
constexpr std::int64_t cigar_tile = 1 << 16;                // bytes. Not measured

bool aligns(const run::Phase& phase) { return kind_of(phase) >= PairsPhase::align; }

Box range(std::int64_t begin, std::int64_t end) { return {{begin}, {end}}; }

}  // namespace

AlignedPairsPlan::AlignedPairsPlan(PairsDefinition definition, PairsCut cut) : PairsPlan(std::move(definition), cut) {
  most_ = spec().counts     ? array(list_of_pairs()).shape[0]
          : spec().best > 0 ? sides().rows.count() * spec().best
                            : pairs().count();
  const std::int64_t longest = most_cigar_bytes();
  cigar_room_ = std::max<std::int64_t>(1, this->cut().aligned * longest);
  starts_ = add_aligned("start", ElementType::i64, end_values);
  ends_of_ = add_aligned("end", ElementType::i64, end_values);
  identities_ = add_aligned("identity", ElementType::f64, 1);
  run::ArraySpec begins;
  begins.name = "cigar_begin";
  begins.role = Role::result;
  begins.type = ElementType::i64;
  begins.shape = {most_ + 1};
  begins.tile = {std::min(most_ + 1, this->cut().aligned)};
  begins.found = spec().counts;
  begins_ = add(std::move(begins));
  run::ArraySpec list;
  list.name = "cigar";
  list.role = Role::result;
  list.type = ElementType::u8;
  list.shape = {most_cigars()};
  list.tile = {std::min(cigar_tile, list.shape[0])};
  list.found = true;
  cigar_list_ = add(std::move(list));
  const auto scratch = [&](const char* name, ElementType type, std::int64_t room) {
    run::ArraySpec round;
    round.name = name;
    round.role = Role::scratch;
    round.type = type;
    round.shape = {blocks_together * room};
    round.tile = {room};
    round.kept = 1;
    return add(std::move(round));
  };
  lengths_ = scratch("cigar_lengths", ElementType::i64, this->cut().aligned);
  round_cigars_ = scratch("cigars", ElementType::u8, cigar_room_);
}

std::int64_t AlignedPairsPlan::most_cigar_bytes() const {
  return pairs::most_cigar_bytes(definition().whole.longest_row, definition().whole.longest_column);
}

std::int64_t AlignedPairsPlan::most_cigars() const {
  const auto longest = static_cast<double>(std::max<std::int64_t>(1, most_cigar_bytes()));
  const double all = longest * static_cast<double>(most_);
  return std::max<std::int64_t>(1,
                                all < static_cast<double>(most_bytes) ? static_cast<std::int64_t>(all) : most_bytes);
}

int AlignedPairsPlan::add_aligned(const char* name, ElementType type, std::int64_t values) {
  run::ArraySpec result;
  result.name = name;
  result.role = Role::result;
  result.type = type;
  result.shape = aligned_shape(most_, values);
  result.tile = aligned_shape(std::min(std::max<std::int64_t>(1, most_), cut().aligned), values);
  result.found = spec().counts;
  return add(std::move(result));
}

Extents AlignedPairsPlan::aligned_shape(std::int64_t entries, std::int64_t values) const {
  if (spec().best == 0 || sides().rows.single) return shape_of_entries(entries, values);
  Extents shape{entries / spec().best, spec().best};
  if (values > 1) shape.push_back(values);
  return shape;
}

Box AlignedPairsPlan::aligned_box(const ItemRange& entries, std::int64_t values) const {
  Box box = Box::whole(aligned_shape(entries.end, values));
  box.begin[0] = spec().best == 0 || sides().rows.single ? entries.begin : entries.begin / spec().best;
  return box;
}

std::int64_t AlignedPairsPlan::total() const { return spec().counts ? found().count() : most_; }

std::int64_t AlignedPairsPlan::blocks_of_all() const { return ceiling(total(), cut().aligned); }

std::int64_t AlignedPairsPlan::blocks_of(std::int64_t round) const {
  return std::min(blocks_together, blocks_of_all() - round * blocks_together);
}

ItemRange AlignedPairsPlan::entries_of(std::int64_t number) const {
  return {number * cut().aligned, std::min(most_, (number + 1) * cut().aligned)};
}

std::int64_t AlignedPairsPlan::listed_of(std::int64_t number) const {
  const ItemRange entries = entries_of(number);
  return std::min(entries.end, total()) - entries.begin;
}

std::optional<run::Phase> AlignedPairsPlan::phase(std::int64_t number, const run::Tally& tally) const {
  if (auto scores = PairsPlan::phase(number, tally)) return scores;
  const auto make = [&](PairsPhase::Kind kind, std::int64_t round, std::int64_t count) {
    return run::Phase{number, count, run::Order::any, PairsPhase{kind, round, total()}};
  };
  const std::int64_t round = cigars().rounds();
  if (!cigars().copied()) return make(PairsPhase::cigars, round - 1, blocks_of(round - 1));
  if (round * blocks_together < blocks_of_all()) return make(PairsPhase::align, round, blocks_of(round));
  if (cigars().filled() || last_block().accesses.empty()) return std::nullopt;
  return make(PairsPhase::end, round, 1);
}

std::int64_t AlignedPairsPlan::entries(int array, const run::Tally& tally) const {
  if (array == cigar_list_) return cigars().count();
  const bool of_each = array == starts_ || array == ends_of_ || array == identities_;
  if (spec().counts && of_each) return total();
  if (spec().counts && array == begins_) return total() + 1;
  return PairsPlan::entries(array, tally);
}

std::string AlignedPairsPlan::part(const run::Phase& phase) const {
  if (!aligns(phase)) return spec().counts || swept_blocks() > 0 ? PairsPlan::part(phase) : "pairs";
  return kind_of(phase) == PairsPhase::align ? "alignments" : "cigars";
}

std::size_t AlignedPairsPlan::descriptor_bytes() const {
  return std::max(PairsPlan::descriptor_bytes(), sizeof(pairs::AlignmentsTask));
}

run::Block AlignedPairsPlan::block(const run::Phase& phase, std::int64_t index) const {
  switch (kind_of(phase)) {
    case PairsPhase::align:
      return aligned_block(phase, index);
    case PairsPhase::cigars:
      return copied_block(phase, index);
    case PairsPhase::end:
      return last_block();
    default:
      return PairsPlan::block(phase, index);
  }
}

std::vector<ItemPair> AlignedPairsPlan::known_pairs(std::int64_t number) const {
  std::vector<ItemPair> known;
  if (spec().counts || spec().best > 0) return known;
  const std::int64_t first = entries_of(number).begin;
  for (std::int64_t entry = 0; entry < listed_of(number); ++entry) known.push_back(pairs().pair(first + entry));
  return known;
}

std::vector<ItemRange> AlignedPairsPlan::runs_of_pairs(std::int64_t number, int side) const {
  std::vector<std::int64_t> items;
  for (const ItemPair& pair : known_pairs(number)) items.push_back(pair[static_cast<std::size_t>(side)]);
  return runs_of(std::move(items), side);
}

run::Block AlignedPairsPlan::aligned_block(const run::Phase& phase, std::int64_t index) const {
  const std::int64_t round = phase.value.as<PairsPhase>().round, number = round * blocks_together + index;
  const ItemRange entries = entries_of(number);
  run::Block made;
  for (const int side : {0, 1}) read_runs(runs_of_pairs(number, side), side, made);
  if (spec().best > 0) {
    made.accesses.push_back(
        {PairsSlot::hits, hits(), array(hits()).generations, aligned_box(entries, 1), Mode::read});
  } else if (spec().counts) {
    const Box box{{entries.begin, 0}, {entries.begin + listed_of(number), end_values}};
    made.accesses.push_back({PairsSlot::list_pairs, list_of_pairs(), 1, box, Mode::read, run::View::contiguous});
  }
  const auto write = [&](PairsSlot slot, int array, const Box& box, std::int64_t generation) {
    made.accesses.push_back({slot, array, generation, box, Mode::write});
  };
  write(PairsSlot::starts, starts_, aligned_box(entries, end_values), 1);
  write(PairsSlot::ends, ends_of_, aligned_box(entries, end_values), 1);
  write(PairsSlot::identities, identities_, aligned_box(entries, 1), 1);
  write(PairsSlot::lengths, lengths_, range(index * cut().aligned, (index + 1) * cut().aligned), round + 1);
  write(PairsSlot::cigars, round_cigars_, range(index * cigar_room_, (index + 1) * cigar_room_), round + 1);
  return made;
}

run::Block AlignedPairsPlan::copied_block(const run::Phase& phase, std::int64_t index) const {
  const std::int64_t round = phase.value.as<PairsPhase>().round;
  const ItemRange entries = entries_of(round * blocks_together + index);
  const std::int64_t begin = cigars().begin(index), end = cigars().begin(index + 1);
  const std::int64_t last = std::min(most_ + 1, entries.begin + cut().aligned);
  run::Block made;
  made.accesses = {{PairsSlot::lengths, lengths_, round + 1,
                    range(index * cut().aligned, (index + 1) * cut().aligned), Mode::read},
                   {PairsSlot::cigar_begins, begins_, 1, range(entries.begin, last), Mode::write}};
  if (begin == end) return made;
  const std::int64_t from = index * cigar_room_;
  made.accesses.push_back({PairsSlot::cigars, round_cigars_, round + 1, range(from, from + end - begin), Mode::read});
  made.accesses.push_back({PairsSlot::cigar_list, cigar_list_, 1, range(begin, end), Mode::write});
  return made;
}

run::Block AlignedPairsPlan::last_block() const {
  run::Block made;
  const std::int64_t bytes = cigars().count(), tile = array(cigar_list_).tile[0];
  const std::int64_t end = std::min(most_cigars(), ceiling(bytes, tile) * tile);
  if (bytes < end) made.accesses.push_back({PairsSlot::cigar_list, cigar_list_, 1, range(bytes, end), Mode::write});
  if (total() % cut().aligned == 0) {
    const std::int64_t last = std::min(most_ + 1, total() + cut().aligned);
    made.accesses.push_back({PairsSlot::cigar_begins, begins_, 1, range(total(), last), Mode::write});
  }
  return made;
}

pairs::AlignmentsTask AlignedPairsPlan::alignments(const run::Phase& phase, const run::BlockView& view,
                                                   pairs::ListedPairs& listed) const {
  const std::int64_t number = phase.value.as<PairsPhase>().round * blocks_together + view.index;
  const ItemRange entries = entries_of(number);
  bind_runs(runs_of_pairs(number, 0), 0, view, listed.rows);
  bind_runs(runs_of_pairs(number, 1), 1, view, listed.columns);
  for (const auto& [row, column] : known_pairs(number)) listed.pairs.push_back({row, column});
  if (spec().best > 0) {
    const auto* hits = reinterpret_cast<const std::int64_t*>(view.find(PairsSlot::hits)->tiles.at(0).data);
    for (std::int64_t entry = entries.begin; entry < entries.end; ++entry) {
      const std::int64_t column = hits[entry - entries.begin];
      listed.pairs.push_back({column < 0 ? column : entry / spec().best, column});
    }
  } else if (spec().counts) {
    const auto* found = reinterpret_cast<const std::int64_t*>(view.find(PairsSlot::list_pairs)->tiles.at(0).data);
    for (std::int64_t entry = 0; entry < listed_of(number); ++entry) {
      listed.pairs.push_back({found[2 * entry], found[2 * entry + 1]});
    }
  }
  const auto data = [&](PairsSlot slot) { return view.find(slot)->tiles.at(0).data; };
  pairs::AlignmentsTask task{};
  task.listed = &listed;
  task.count = cut().aligned;
  task.room = entries.end - entries.begin;
  task.starts = reinterpret_cast<pairs::i64*>(data(PairsSlot::starts));
  task.ends = reinterpret_cast<pairs::i64*>(data(PairsSlot::ends));
  task.identities = reinterpret_cast<double*>(data(PairsSlot::identities));
  task.lengths = reinterpret_cast<pairs::i64*>(data(PairsSlot::lengths));
  task.cigars = reinterpret_cast<char*>(data(PairsSlot::cigars));
  task.cigar_bytes = cigar_room_;
  return task;
}

void AlignedPairsPlan::list_cigars(const run::Phase& phase, const run::BlockView& view, CopiedCigars& copied) const {
  const bool last = kind_of(phase) == PairsPhase::end;
  copied.begin = last ? cigars().count() : cigars().begin(view.index);
  if (const auto* lengths = view.find(PairsSlot::lengths)) {
    copied.lengths = reinterpret_cast<const std::int64_t*>(lengths->tiles.at(0).data);
  }
  if (const auto* from = view.find(PairsSlot::cigars)) {
    copied.cigars = reinterpret_cast<const char*>(from->tiles.at(0).data);
  }
  if (const auto* list = view.find(PairsSlot::cigar_list)) {
    for (const run::TileView& tile : list->tiles) {
      copied.parts.emplace_back(reinterpret_cast<char*>(tile.data), tile.box.volume());
    }
  }
  if (const auto* begins = view.find(PairsSlot::cigar_begins)) {
    copied.begins = reinterpret_cast<std::int64_t*>(begins->tiles.at(0).data);
    copied.count = begins->tiles.at(0).box.volume();
  }
}

std::unique_ptr<run::Worker> AlignedPairsPlan::make_worker(device::Context& context) const {
  if (!context.shares_host_memory()) return PairsPlan::make_worker(context);
  return std::make_unique<AlignedPairsWorker>(*this, PairsPlan::make_worker(context),
                                              pairs::make_alignments(definition().whole, context));
}

}  // namespace terrace::stages
