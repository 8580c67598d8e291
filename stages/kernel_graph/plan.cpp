#include "stages/kernel_graph/plan.hpp"

#include <algorithm>

#include "kernels/graph/slabs.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/kernel_graph/worker.hpp"

namespace terrace::stages {

using graph::GraphTask;
using graph::Range;
using graph::Rows;

namespace {

enum class Slot { input, kept };

template <bool is_kept>
void bind_part(GraphTask& task, const run::SlotPiece& piece, const run::NoContext&) {
  if (task.part_count == graph::most_parts) throw Error("a block of a graph has too many parts");
  const run::TileView& tile = piece.tile;
  task.parts[task.part_count++] = {tile.data,       tile.box.begin[0], tile.box.end[0],
                                   tile.strides[0], piece.index,       is_kept ? 1 : 0};
}

constexpr run::SlotField<GraphTask> slots[] = {
    {Slot::input, "input", bind_part<false>, graph::most_inputs, true},
    {Slot::kept, "kept node", bind_part<true>, graph::most_kept, true},
};

/// Rows of a tile of an input have about so many bytes at most.
constexpr std::int64_t input_tile_bytes = 4 << 20;

/// Slabs of which the memory is looked at, at least; that of others differs by a row at most.
constexpr std::int64_t looked_at = 64;

Box box_of(const Range& rows, std::int64_t columns) { return {{rows.begin, 0}, {rows.end, columns}}; }

}  // namespace

GraphPlan::GraphPlan(GraphDefinition definition, const std::vector<std::int64_t>& slab_rows,
                     const std::vector<const graph::GraphMethod*>& methods)
    : definition_(std::move(definition)) {
  for (std::size_t n = 0; n < definition_.parts.parts.size(); ++n) {
    const GraphPart& part = definition_.parts.parts[n];
    parts_.push_back({part, {part.graph, slab_rows.at(n)}, methods.at(n)});
  }
  for (const GraphArray& array : definition_.parts.arrays) add_array(array);
}

void GraphPlan::add_array(const GraphArray& array) {
  run::ArraySpec spec;
  const std::size_t number = arrays_.size();
  spec.name = array.role == run::Role::input ? "input_" + std::to_string(number) : array.name;
  spec.role = array.role;
  spec.type = array.type;
  spec.shape = {array.shape.rows, array.shape.columns};
  spec.tile = {tile_rows(array), array.shape.columns};
  if (array.role == run::Role::input) spec.source = definition_.inputs[number];
  else spec.kept = 1;
  arrays_.push_back(std::move(spec));
}

/// Rows of a tile: those that a block writes, or, of an input, no more than a share of the smallest slab that reads
/// it.
std::int64_t GraphPlan::tile_rows(const GraphArray& array) const {
  const auto number = static_cast<int>(arrays_.size());
  const std::int64_t row = array.shape.columns * static_cast<std::int64_t>(size_of(array.type));
  std::int64_t rows = std::clamp<std::int64_t>(input_tile_bytes / row, 1, array.shape.rows);
  for (const PlannedPart& part : parts_) {
    const auto kept = std::ranges::find(part.part.kept, number);
    if (kept != part.part.kept.end()) {
      return graph::most_rows_of_slab(part.spec, static_cast<std::size_t>(kept - part.part.kept.begin()));
    }
    if (std::ranges::find(part.part.inputs, number) == part.part.inputs.end()) continue;
    const std::int64_t share = part.spec.slab_rows * array.shape.rows / graph::most_kept_rows(*part.spec.graph);
    rows = std::min(rows, std::max<std::int64_t>(1, share));
  }
  return rows;
}

double cells_of(const graph::Graph& graph) {
  double most = 0;
  const std::int64_t tallest = graph::most_kept_rows(graph);
  for (const graph::Kept& kept : graph.kept) {
    const graph::Shape shape = graph.shape(kept.value);
    if (shape.rows == tallest) most = std::max(most, static_cast<double>(shape.columns));
  }
  return most * static_cast<double>(tallest);
}

std::optional<run::Phase> GraphPlan::phase(std::int64_t number, const run::Tally&) const {
  if (number >= std::ssize(parts_)) return std::nullopt;
  return run::Phase{number, graph::slabs_of(parts_[static_cast<std::size_t>(number)].spec)};
}

std::string GraphPlan::part(const run::Phase& phase) const {
  return parts_.size() == 1 ? "" : "part " + std::to_string(phase.number + 1);
}

run::Block GraphPlan::block(const run::Phase& phase, std::int64_t index) const {
  const auto& [part, spec, method] = parts_[static_cast<std::size_t>(phase.number)];
  const graph::Graph& graph = *spec.graph;
  run::Block block;
  const std::vector<Rows> needed = graph::rows_needed(spec, index);
  for (std::size_t n = 0; n < graph.inputs.size(); ++n) {
    const int number = part.inputs[n];
    const GraphArray& own = array(number);
    const Rows read = needed[n].joined(graph::most_ranges_read);
    for (const Range& rows : read.ranges()) {
      block.accesses.push_back({{Slot::input, n},
                                number,
                                own.made_in < 0 ? 0 : 1,
                                box_of(rows, own.shape.columns),
                                run::Mode::read,
                                run::View::contiguous});
    }
    const bool is_last = own.last_read == phase.number && index == graph::slabs_of(spec) - 1;
    if (own.role == run::Role::scratch && is_last) {
      block.last_uses.push_back({number, 1, box_of({0, own.shape.rows}, own.shape.columns)});
    }
  }
  for (std::size_t n = 0; n < graph.kept.size(); ++n) {
    const Range rows = graph::rows_of_slab(spec, index, n);
    if (rows.size() == 0) continue;
    const Box box = box_of(rows, graph.shape(graph.kept[n].value).columns);
    block.accesses.push_back({{Slot::kept, n}, part.kept[n], 1, box, run::Mode::write});
  }
  const std::int64_t tallest = graph::most_kept_rows(graph);
  const auto rows = static_cast<double>(std::min(spec.slab_rows, tallest - index * spec.slab_rows));
  block.operations = cells_of(graph) / static_cast<double>(tallest) * rows;
  return block;
}

GraphTask GraphPlan::task(const run::Phase&, const run::BlockView& view) const {
  GraphTask task{};
  task.slab = view.index;
  run::bind_slots(slots, view, task);
  return task;
}

BlockMemory GraphPlan::block_memory(std::size_t part) const {
  BlockMemory most;
  const std::int64_t slabs = graph::slabs_of(parts_[part].spec), step = std::max<std::int64_t>(1, slabs / looked_at);
  for (std::int64_t number = 0; number < slabs + step; number += step) {
    BlockMemory own;
    for (const run::Access& access : block({static_cast<std::int64_t>(part)}, std::min(number, slabs - 1)).accesses) {
      const run::ArraySpec& spec = arrays_[static_cast<std::size_t>(access.array)];
      const auto element = static_cast<std::int64_t>(size_of(spec.type));
      const std::int64_t tile = whole_pages(volume(spec.tile) * element);
      // A part of a kept node may lie in two tiles. What is read is assembled from whole tiles, all of which may be
      // there meanwhile.
      const bool is_written = access.mode == run::Mode::write;
      const std::int64_t tiles = is_written ? 2 : ceiling(access.box.shape()[0], spec.tile[0]) + 1;
      own.block += tiles * tile + (is_written ? 0 : whole_pages(access.box.volume() * element));
      if (is_written) own.written += tiles * tile;
      own.tile = std::max(own.tile, tile);
    }
    most.block = std::max(most.block, own.block);
    most.written = std::max(most.written, own.written);
    most.tile = std::max(most.tile, own.tile);
  }
  if (2 * most.tile <= most.block) most.tile = 0;
  return most;
}

std::size_t workspace_bytes(const GraphPlan& plan, const device::Limits& limits) {
  std::size_t most = 0;
  for (const PlannedPart& part : plan.parts()) most = std::max(most, part.method->workspace(part.spec, limits));
  return most;
}

std::unique_ptr<run::Worker> GraphPlan::make_worker(device::Context& context) const {
  return std::make_unique<GraphWorker>(*this, context);
}

}  // namespace terrace::stages
