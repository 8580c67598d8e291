// The blocks of a table whose steps are bounded.
#include <algorithm>

#include "pipeline/base/rounding.hpp"
#include "stages/dp_table/bounded/phase.hpp"
#include "stages/dp_table/bounded/plan.hpp"

namespace terrace::stages {

using dp_table::BoundedPass;
using dp_table::BoundedTable;
using dp_table::BoundedWork;

Box BoundedPlan::elements_of(std::int64_t tile) const {
  const std::int64_t begin = tile * sizes_.elements;
  return {{begin}, {std::min<std::int64_t>(table_.elements, begin + sizes_.elements)}};
}

Box BoundedPlan::below(const Box& tile, std::int64_t first, std::int64_t end) const {
  std::int64_t reach = 0;
  for (std::int64_t number = first; number < end; ++number) {
    reach = std::min<std::int64_t>(tile.begin[0], reach + table_.passes[static_cast<std::size_t>(number)].reach);
  }
  const std::int64_t begin = tile.begin[0] - reach;
  // One pass reads no more elements than the tile has, and one.
  std::int64_t stop = tile.begin[0];
  if (end - first == 1)
    stop = std::min<std::int64_t>(stop, tile.end[0] - table_.passes[static_cast<std::size_t>(first)].offset);
  return {{begin}, {std::max(begin, stop)}};
}

Box BoundedPlan::taken_of(const Box& tile, std::int64_t first, std::int64_t end) const {
  const std::int64_t cells = table_.packed() == 1 ? 64 : 1;
  return {{first, tile.begin[0] / cells}, {end, ceiling(tile.end[0], cells)}};
}

Box BoundedPlan::walked_of(const run::Phase& phase) const {
  const BoundedPhase work = bounded_phase(phase);
  std::int64_t least = work.cell;
  for (std::int64_t number = work.first + 1; number < work.end; ++number) {
    const BoundedPass& pass = table_.passes[static_cast<std::size_t>(number)];
    least = std::max<std::int64_t>(0, least - BoundedTable::bits_back(pass, table_.packed()));
  }
  return {{work.first, least / 64}, {work.end, work.cell / 64 + 1}};
}

void BoundedPlan::add_passes(const run::Phase& phase, std::int64_t tile, run::Block& block) const {
  const auto [first, end] = passes_of(phase);
  const Box box = elements_of(tile);
  const std::int64_t generation = bounded_phase(phase).generation;
  block.accesses.push_back({BoundedSlot::elements, 0, generation, box, run::Mode::update});
  const Box read = below(box, first, end);
  if (volume(read.shape()) > 0) {
    block.accesses.push_back({BoundedSlot::below, 0, generation, read, run::Mode::read, run::View::contiguous});
  }
  if (definition_.keeps_solution && bounded_phase(phase).keeps_bits != 0) {
    block.accesses.push_back({BoundedSlot::taken, 1, 1, taken_of(box, first, end), run::Mode::write});
  }
  block.operations = static_cast<double>(end - first) * static_cast<double>(volume(box.shape()) * table_.packed());
}

void BoundedPlan::add_cells(std::int64_t index, run::Block& block) const {
  const Box box = kept_.box(index);
  const Extents strides = row_major_strides(table_.table.extents);
  std::int64_t first = 0;
  for (int d = 0; d < box.rank(); ++d) first += box.begin[d] * strides[d];
  const std::int64_t last = first + volume(box.shape()) - 1, cells = table_.packed() == 1 ? 1 : 64;
  const Box read{{table_.bit_of(first) / cells}, {table_.bit_of(last) / cells + 1}};
  block.accesses.push_back({BoundedSlot::elements, 0, 1 + groups_, read, run::Mode::read, run::View::contiguous});
  block.accesses.push_back({BoundedSlot::cells, static_cast<int>(arrays_.size()) - 1, 1, box, run::Mode::write});
}

/// The bits are not needed again.
void BoundedPlan::add_walk(const run::Phase& phase, run::Block& block) const {
  const Box box = walked_of(phase);
  const std::int64_t tile = arrays_[1].tile[1];
  const bool is_in_one = box.begin[1] / tile == (box.end[1] - 1) / tile;
  block.accesses.push_back(
      {BoundedSlot::taken, 1, 1, box, run::Mode::read, is_in_one ? run::View::tiles : run::View::contiguous});
  if (sizes_.way.levels == 0) return;
  const auto [first, end] = passes_of(phase);
  block.last_uses.push_back({1, 1, {{first, 0}, {end, table_.taken_words()}}});
}

/// Elements that are stored, or made again.
void BoundedPlan::add_saved(const run::Phase& phase, std::int64_t tile, run::Block& block) const {
  const BoundedPhase work = bounded_phase(phase);
  const Box box = elements_of(tile);
  const bool saves = work.what() == BoundedWork::save;
  block.accesses.push_back(
      {BoundedSlot::elements, 0, work.generation, box, saves ? run::Mode::read : run::Mode::update});
  block.accesses.push_back({BoundedSlot::saved,
                            2,
                            1,
                            {{work.leaf, box.begin[0]}, {work.leaf + 1, box.end[0]}},
                            saves ? run::Mode::write : run::Mode::read});
  if (work.is_last_use == 0 || tile + 1 < phase.count) return;
  block.last_uses.push_back({2, 1, {{work.leaf, 0}, {work.leaf + 1, table_.elements}}});
}

run::Block BoundedPlan::block(const run::Phase& phase, std::int64_t index) const {
  run::Block block;
  const std::int64_t generation = bounded_phase(phase).generation;
  switch (bounded_phase(phase).what()) {
    case BoundedWork::begin:
      block.accesses.push_back({BoundedSlot::elements, 0, std::max<std::int64_t>(1, generation), elements_of(index),
                                generation == 0 ? run::Mode::write : run::Mode::update});
      break;
    case BoundedWork::passes:
      add_passes(phase, phase.count - 1 - index, block);
      break;
    case BoundedWork::table:
      add_cells(index, block);
      break;
    case BoundedWork::walk:
      add_walk(phase, block);
      break;
    case BoundedWork::save:
    case BoundedWork::restore:
      add_saved(phase, index, block);
      break;
  }
  return block;
}

}  // namespace terrace::stages
