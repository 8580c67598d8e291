#include "stages/wavefront/pairs/steps.hpp"

#include <algorithm>

#include "kernels/pairs/packed_list.hpp"
#include "stages/wavefront/pairs/pairs_slot.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t tiles_in_turn = 16;  // Not measured

}  // namespace

std::int64_t elements_bytes(const PairSide& side, std::int64_t pairs) {
  const std::int64_t all = side.items->begin(side.count());
  return std::min(all, pairs * side.longest()) * static_cast<std::int64_t>(size_of(side.source->type()));
}

PairsSteps::PairsSteps(const PairsDefinition& definition, const PairsCut& cut)
    : on_device_(definition.on_device()),
      packs_(on_device_ && !definition.entries.is_matrix()),
      keeps_(on_device_ && (pairs::keeps_part(definition.spec) || definition.long_pairs.count() > 0)),
      computes_ends_(on_device_ && definition.spec.pairs.ends && definition.long_pairs.count() > 0),
      value_(definition.spec.pairs.value),
      pairs_(std::max<std::int64_t>(1, pairs_of_block(definition.entries, cut))),
      packed_bytes_(0) {
  if (!packs_) return;
  const auto side = [&](const PairSide& of, std::int64_t tile) {
    if (is_whole(of, tile)) return pairs::PackedSide{};
    return pairs::PackedSide{true, std::min(pairs_, of.count()),
                             static_cast<std::size_t>(elements_bytes(of, pairs_))};
  };
  packed_bytes_ = static_cast<std::int64_t>(pairs::packed_places(pairs_, side(definition.sides.rows, cut.row_tile),
                                                                 side(definition.sides.columns, cut.column_tile))
                                                .bytes);
}

PairsSteps::Place PairsSteps::place(std::int64_t index, std::int64_t all) const {
  if (!on_device_) return {PairsStep::whole, index};
  if (count() == 1) return {PairsStep::compute, index};
  if (!keeps_) return {index % 2 == 0 ? PairsStep::pack : PairsStep::compute, index / 2};
  if (!packs_) return {index % 2 == 0 ? PairsStep::compute : PairsStep::keep, index / 2};
  if (index == 0) return {PairsStep::pack, 0};
  if (index == all - 1) return {PairsStep::keep, all / 3 - 1};
  constexpr PairsStep steps[] = {PairsStep::compute, PairsStep::pack, PairsStep::keep};
  const PairsStep step = steps[(index - 1) % 3];
  return {step, (index - 1) / 3 + (step == PairsStep::pack ? 1 : 0)};
}

run::ArraySpec PairsSteps::in_turn(const char* name, ElementType type, std::int64_t tile) {
  run::ArraySpec array;
  array.name = name;
  array.role = run::Role::scratch;
  array.type = type;
  array.shape = {tiles_in_turn * tile};
  array.tile = {tile};
  array.kept = 1;
  array.reads = 1;
  return array;
}

run::Access PairsSteps::access(run::Slot slot, int array, std::int64_t block, std::int64_t tile, std::int64_t used,
                               run::Mode mode) {
  const std::int64_t begin = block % tiles_in_turn * tile;
  return {slot, array, block / tiles_in_turn + 1, {{begin}, {begin + used}}, mode};
}

run::Access PairsSteps::scores_of(int array, std::int64_t block, std::int64_t pairs, run::Mode mode) const {
  return access(PairsSlot::computed, array, block, pairs_, pairs, mode);
}

run::Access PairsSteps::ends_of(int array, std::int64_t block, std::int64_t pairs, run::Mode mode) const {
  return access(PairsSlot::computed_ends, array, block, end_values * pairs_, end_values * pairs, mode);
}

run::Access PairsSteps::list_of(int array, std::int64_t block, std::int64_t bytes, run::Mode mode) const {
  return access(PairsSlot::packed, array, block, packed_bytes_, bytes, mode);
}

}  // namespace terrace::stages
