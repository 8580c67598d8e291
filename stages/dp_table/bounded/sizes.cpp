#include "stages/dp_table/bounded/sizes.hpp"

#include <algorithm>
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

/// Bytes of a block that goes back, which reads words of two tiles at most.
std::int64_t walk_bytes(const BoundedTable& table, const BoundedSizes& sizes) {
  return (sizes.tiles(table) == 1 ? 1 : 3) * taken_bytes(table, sizes);
}

/// Bytes of a block of the table that is kept.
std::int64_t kept_bytes(const BoundedTable& table, const BoundedSizes& sizes) {
  dp_table::Table cut = table.table;
  cut.cut = sizes.cut;
  const std::int64_t cells = volume(dp_table::Tiles(cut).shape());
  const std::int64_t tile = whole_pages(sizes.elements * element_bytes(table));
  return whole_pages(cells * static_cast<std::int64_t>(size_of(cut.type))) +
         whole_pages((elements_of_cells(table, cells) + 1) * element_bytes(table)) + 2 * tile;
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

}  // namespace

std::int64_t BoundedSizes::tiles(const BoundedTable& table) const { return ceiling(table.elements, elements); }

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
                   kept.keeps_table ? kept_bytes(table, sizes) : 0});
}

BoundedSizes choose_bounded_sizes(const BoundedTable& table, const TableDefinition& kept,
                                  const Resources& resources) {
  std::optional<BlockMemory> least;
  for (std::int64_t elements = table.elements;; elements = rounded_up(ceiling(elements, 2), word_cells)) {
    BoundedSizes sizes;
    sizes.elements = elements;
    for (const std::int64_t passes : passes_to_try(table, sizes)) {
      sizes.passes = passes;
      if (kept.keeps_table) choose_cut(table, pass_bytes(table, sizes, kept.keeps_solution), sizes);
      const BlockMemory memory = memory_of(table, sizes, kept, resources);
      if (holds(resources, memory)) return sizes;
      if (!least || memory.block + memory.workspace < least->block + least->workspace) least = memory;
    }
    if (elements <= word_cells) break;
  }
  refuse_budgets(resources, least.value());
}

const dp_table::BoundedMethod& bounded_method(const dp_table::BoundedSpec& spec, const Resources& resources) {
  return device::chosen_method("dp_table", dp_table::bounded_methods(), resources.backend(), "auto", spec,
                               resources.device);
}

}  // namespace terrace::stages
