#include "stages/dp_table/bounded/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/dp_table/cut.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

using dp_table::BoundedTable;

constexpr std::int64_t word_cells = 64;
/// Updates of a block at most, so that a run soon stops when it is asked to.
constexpr double most_updates = 4e9;
/// Parts of a level of the way back that are tried, at most.
constexpr std::int64_t most_parts = 4096;

std::int64_t element_bytes(const BoundedTable& table) { return static_cast<std::int64_t>(size_of(table.stored)); }

/// Words of the bits of so many elements.
std::int64_t words_of(const BoundedTable& table, std::int64_t elements) {
  return table.packed() == 1 ? ceiling(elements, word_cells) : elements;
}

/// Elements that the blocks of the table that is kept read.
std::int64_t elements_of_cells(const BoundedTable& table, std::int64_t cells) {
  return std::min(table.elements, table.packed() == 1 ? cells : cells / table.line * table.words + table.words);
}

std::int64_t taken_bytes(const BoundedTable& table, const BoundedSizes& sizes) {
  return whole_pages(sizes.passes * words_of(table, sizes.elements) * 8);
}

/// Bytes of a block that takes passes.
std::int64_t pass_bytes(const BoundedTable& table, const BoundedSizes& sizes, bool solution) {
  const std::int64_t tile = whole_pages(sizes.elements * element_bytes(table));
  std::int64_t bytes = tile + (solution ? taken_bytes(table, sizes) : 0);
  if (sizes.tiles(table) == 1) return bytes;
  // The tiles of which a block reads parts pass through.
  return bytes + 2 * tile + whole_pages(sizes.most_reach(table) * element_bytes(table));
}

/// Bytes of a block that goes back: it reads words of one tile in place, of two tiles assembled.
std::int64_t walk_bytes(const BoundedTable& table, const BoundedSizes& sizes) {
  return (sizes.tiles(table) == 1 ? 1 : 3) * taken_bytes(table, sizes);
}

/// Bytes of a block that stores elements, or makes stored ones again.
std::int64_t save_bytes(const BoundedTable& table, const BoundedSizes& sizes) {
  return sizes.way.levels == 0 ? 0 : 2 * whole_pages(sizes.elements * element_bytes(table));
}

/// Bytes of a block of the table that is kept.
std::int64_t kept_bytes(const BoundedTable& table, const BoundedSizes& sizes) {
  dp_table::Table cut = table.table;
  cut.cut = sizes.cut;
  const std::int64_t cells = volume(dp_table::Tiles(cut).shape());
  const std::int64_t tile = whole_pages(sizes.elements * element_bytes(table));
  const std::int64_t read = elements_of_cells(table, cells) + 1;
  // All tiles that it reads may be in memory.
  const std::int64_t tiles = std::min(sizes.tiles(table), ceiling(read, sizes.elements) + 1);
  return whole_pages(cells * static_cast<std::int64_t>(size_of(cut.type))) +
         whole_pages(read * element_bytes(table)) + tiles * tile;
}

/// Numbers of passes to try, the largest first, as far as blocks of them do not read more than half a tile.
std::vector<std::int64_t> passes_to_try(const BoundedTable& table, BoundedSizes sizes) {
  std::vector<std::int64_t> found;
  sizes.passes = std::clamp<std::int64_t>(std::ssize(table.passes), 1, dp_table::most_bounded_passes);
  while (true) {
    const double updates = static_cast<double>(sizes.passes) * static_cast<double>(sizes.elements);
    const bool is_near = sizes.tiles(table) == 1 || sizes.most_reach(table) <= sizes.elements / 2;
    if (sizes.passes == 1 || (is_near && updates <= most_updates)) found.push_back(sizes.passes);
    if (sizes.passes == 1) return found;
    sizes.passes = ceiling(sizes.passes, 2);
  }
}

/// The largest cut of the table that is kept whose blocks need no more than `most` bytes; else the smallest.
void choose_cut(const BoundedTable& table, std::int64_t most, BoundedSizes& sizes) {
  for (const dp_table::Cut& cut : table_cuts(table.table.extents)) {
    sizes.cut = cut;
    if (kept_bytes(table, sizes) <= most) return;
  }
}

BlockMemory memory_of(const BoundedTable& table, const BoundedSizes& sizes, const TableDefinition& kept,
                      const Resources& resources) {
  const dp_table::BoundedSpec spec{table, sizes.elements, sizes.most_reach(table)};
  const auto workspace = static_cast<std::int64_t>(bounded_method(spec, resources).workspace(spec, resources.device));
  const std::int64_t tile = whole_pages(sizes.elements * element_bytes(table));
  // The CPU works in memory of its own, beside the block.
  const std::int64_t beside = resources.cuda ? 0 : workspace;
  return {bounded_block_bytes(table, sizes, kept) + beside, workspace - beside,
          tile + (kept.keeps_solution ? taken_bytes(table, sizes) : 0)};
}

/// The groups of a leaf, of which so many levels of so many parts hold all groups.
std::int64_t leaf_groups(std::int64_t groups, std::int64_t levels, std::int64_t parts) {
  std::int64_t leaves = 1;
  for (std::int64_t level = 0; level < levels && leaves < groups; ++level) leaves *= parts;
  return ceiling(groups, leaves);
}

/// Bytes of all scratch files.
std::int64_t scratch_bytes(const BoundedTable& table, const BoundedSizes& sizes) {
  const BoundedSlots slots = slots_in_scratch(table, sizes);
  const std::int64_t tile = whole_pages(sizes.elements * element_bytes(table));
  return 3 * page_bytes + (2 * sizes.tiles(table) + slots.saved) * tile + slots.taken * taken_bytes(table, sizes);
}

/// The fewest levels that the scratch space holds, with the parts that need the least; if it holds none, the levels
/// that need the least.
WaySizes choose_way(const BoundedTable& table, BoundedSizes sizes, std::int64_t scratch) {
  sizes.way = {};
  WaySizes least;
  std::int64_t least_bytes = scratch_bytes(table, sizes);
  const std::int64_t groups = sizes.groups(table);
  for (std::int64_t levels = 1; least_bytes > scratch; ++levels) {
    const auto most =
        static_cast<std::int64_t>(std::ceil(std::pow(static_cast<double>(groups), 1 / static_cast<double>(levels))));
    if (most < 2) break;
    for (std::int64_t parts = 2; parts <= std::min(most, most_parts); ++parts) {
      sizes.way = {levels, parts, leaf_groups(groups, levels, parts)};
      const std::int64_t bytes = scratch_bytes(table, sizes);
      if (bytes < least_bytes) least = sizes.way, least_bytes = bytes;
    }
    if (most == 2) break;
  }
  return least;
}

}  // namespace

std::int64_t BoundedSizes::tiles(const BoundedTable& table) const { return ceiling(table.elements, elements); }

std::int64_t BoundedSizes::groups(const BoundedTable& table) const {
  return ceiling<std::int64_t>(std::ssize(table.passes), passes);
}

BoundedSlots slots_in_scratch(const BoundedTable& table, const BoundedSizes& sizes) {
  const BoundedWay way(sizes.groups(table), sizes.way);
  const std::int64_t tiles = sizes.tiles(table);
  // A tile that is never given up is written once, so it takes one slot.
  if (sizes.way.levels == 0) return {std::max<std::int64_t>(1, sizes.groups(table) * tiles), 0};
  return {slots_of_dropped(way.sizes().leaf * tiles), slots_of_dropped(way.most_saved() * tiles)};
}

std::int64_t all_bits_bytes(const BoundedTable& table, const BoundedSizes& sizes) {
  return sizes.groups(table) * sizes.tiles(table) * taken_bytes(table, sizes);
}

std::int64_t BoundedSizes::most_reach(const BoundedTable& table) const {
  std::int64_t most = 0, reach = 0;
  for (std::int64_t number = 0; number < std::ssize(table.passes); ++number) {
    if (number % passes == 0) reach = 0;
    reach = std::min(table.elements, reach + table.passes[static_cast<std::size_t>(number)].reach);
    most = std::max(most, reach);
  }
  // One pass reads no more elements than a tile has, and one.
  return passes == 1 ? std::min(most, elements + 1) : most;
}

std::int64_t bounded_block_bytes(const BoundedTable& table, const BoundedSizes& sizes, const TableDefinition& kept) {
  return std::max({pass_bytes(table, sizes, kept.keeps_solution), kept.keeps_solution ? walk_bytes(table, sizes) : 0,
                   save_bytes(table, sizes), kept.keeps_table ? kept_bytes(table, sizes) : 0});
}

BoundedSizes choose_bounded_sizes(const BoundedTable& table, const TableDefinition& kept,
                                  const Resources& resources) {
  std::optional<BlockMemory> least;
  std::optional<BoundedSizes> smallest;  // of those that the memory holds
  for (std::int64_t elements = table.elements;; elements = rounded_up(ceiling(elements, 2), word_cells)) {
    BoundedSizes sizes;
    sizes.elements = elements;
    std::optional<BoundedSizes> found;
    for (const std::int64_t passes : passes_to_try(table, sizes)) {
      sizes.passes = passes;
      sizes.way = {};
      if (kept.keeps_table) choose_cut(table, pass_bytes(table, sizes, kept.keeps_solution), sizes);
      const auto is_held = [&] {
        const BlockMemory memory = memory_of(table, sizes, kept, resources);
        if (!least || memory.block + memory.workspace < least->block + least->workspace) least = memory;
        return holds(resources, memory);
      };
      if (!is_held()) continue;
      if (!kept.keeps_solution) return sizes;
      sizes.way = choose_way(table, sizes, resources.scratch_space);
      if (!is_held()) continue;
      const std::int64_t needed = scratch_bytes(table, sizes);
      if (!smallest || needed < scratch_bytes(table, *smallest)) smallest = sizes;
      if (needed <= resources.scratch_space && (!found || sizes.way.levels < found->way.levels)) found = sizes;
    }
    if (found) return *found;
    if (elements <= word_cells) break;
  }
  // The whole job is refused for the scratch space.
  if (smallest) return *smallest;
  refuse_budgets(resources, least.value());
}

const dp_table::BoundedMethod& bounded_method(const dp_table::BoundedSpec& spec, const Resources& resources) {
  return device::chosen_method("dp_table", dp_table::bounded_methods(), resources.backend(), "auto", spec,
                               resources.device);
}

}  // namespace terrace::stages
