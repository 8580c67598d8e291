#include "stages/kernel_graph/plan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/graph/carry.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/kernel_graph/moves.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/kernel_graph/tally.hpp"
#include "stages/kernel_graph/worker.hpp"

namespace terrace::stages {

using graph::GraphTask;
using graph::Range;
using graph::Rows;

namespace {

enum class Slot { input, kept, reduced, carried };

template <bool is_kept>
void bind_part(GraphTask& task, const run::SlotPiece& piece, const run::NoContext&) {
  if (task.part_count == graph::most_parts) throw Error("a block of a graph has too many parts");
  const run::TileView& tile = piece.tile;
  task.parts[task.part_count++] = {tile.data,       tile.box.begin[0], tile.box.end[0],
                                   tile.strides[0], piece.index,       is_kept ? 1 : 0};
}

void bind_reduced(GraphTask& task, const run::SlotPiece& piece, const run::NoContext&) {
  task.reduced[piece.index] = piece.tile.data;
}

void bind_carried(GraphTask& task, const run::SlotPiece& piece, const run::NoContext&) {
  task.carried[piece.index] = piece.tile.data;
}

constexpr run::SlotField<GraphTask> slots[] = {
    {Slot::input, "input", bind_part<false>, graph::most_inputs, true},
    {Slot::kept, "kept node", bind_part<true>, graph::most_kept, true},
    {Slot::reduced, "reduction", bind_reduced, graph::most_numbers},
    {Slot::carried, "carry", bind_carried, graph::most_carries},
};

/// Rows of a tile of an input have about so many bytes at most.
constexpr std::int64_t input_tile_bytes = 4 << 20;

/// Slabs of which the memory is looked at, at least; that of others differs by a row at most.
constexpr std::int64_t looked_at = 64;

/// The generation of what blocks of a part update: a phase may have more slabs than planned, at most one a row, and
/// the last one makes the result.
std::int64_t most_generations(const graph::GraphSpec& spec) {
  return moved_numbers(*spec.graph).empty() ? graph::slabs_of(spec) : graph::most_kept_rows(*spec.graph);
}

Box box_of(const Range& rows, std::int64_t columns) { return {{rows.begin, 0}, {rows.end, columns}}; }

}  // namespace

GraphPlan::GraphPlan(GraphDefinition definition, const std::vector<std::int64_t>& slab_rows,
                     const std::vector<const graph::GraphMethod*>& methods, const Resources& resources)
    : definition_(std::move(definition)), resources_(resources) {
  for (std::size_t n = 0; n < definition_.parts.parts.size(); ++n) {
    const GraphPart& part = definition_.parts.parts[n];
    const graph::GraphSpec spec{.graph = part.graph,
                                .slab_rows = slab_rows.at(n),
                                .known = assumed_numbers(*part.graph, slab_rows.at(n)),
                                .times = definition_.times,
                                .compiler = definition_.compiler};
    parts_.push_back(
        {part, spec, methods.at(n),
         std::make_shared<CompiledMethod<graph::GraphSpec>>(*methods.at(n), graph::graph_method_instead)});
  }
  for (const GraphArray& array : definition_.parts.arrays) add_array(array);
  add_reductions();
  for (PlannedPart& part : parts_) {
    if (graph::slabs_of(part.spec) > 1) {
      part.spec.pass_steps = graph::pass_steps_of(*part.method, part.spec, resources_.device);
    }
    add_carries(part);
    part.workspace = workspace_of(*part.method, part.spec);
    workspace_ = std::max(workspace_, part.workspace);
  }
  std::vector<std::vector<LiveTiles>> live;
  for (std::size_t part = 0; part < parts_.size(); ++part) live.push_back(live_in(part));
  share_slots(arrays_, live);
}

void GraphPlan::add_array(const GraphArray& array) {
  run::ArraySpec spec;
  const std::size_t number = arrays_.size();
  spec.name = array.role == run::Role::input ? "input_" + std::to_string(number) : dataset_name(array.name);
  spec.role = array.role;
  spec.type = array.type;
  spec.shape = {array.shape.rows, array.shape.columns};
  spec.tile = {tile_rows(array), array.shape.columns};
  if (array.role == run::Role::input) spec.source = definition_.inputs[number];
  else spec.kept = array.renewed_in < 0 ? 1 : 2;
  arrays_.push_back(std::move(spec));
}

/// A reduction is one tile, which every block of its part makes anew.
void GraphPlan::add_reductions() {
  const auto& reductions = definition_.graph->reductions;
  arrays_.resize(arrays_.size() + reductions.size());
  for (const PlannedPart& part : parts_) {
    for (const int number : part.part.reductions) {
      const graph::Reduction& own = reductions[static_cast<std::size_t>(number)];
      run::ArraySpec& spec = arrays_[definition_.parts.arrays.size() + static_cast<std::size_t>(number)];
      const bool is_list = own.makes != graph::Makes::number;
      spec.name = is_list ? own.name : "number " + dataset_name(own.name);
      spec.role = is_list ? run::Role::result : run::Role::scratch;
      spec.type = is_list ? ElementType::i64 : ElementType::f64;
      spec.shape = {own.elements()};
      if (own.makes == graph::Makes::positions) spec.shape = {own.elements() / 2, 2};
      spec.tile = spec.shape;
      spec.kept = 1;
      spec.generations = most_generations(part.spec);
    }
  }
}

void GraphPlan::add_carries(PlannedPart& part) {
  for (const int first : graph::carriers_of(part.spec)) {
    const graph::Graph& graph = *part.spec.graph;
    run::ArraySpec spec;
    spec.name =
        "carry of " + dataset_name(graph.node(first).name) + " in part " + std::to_string(&part - parts_.data());
    spec.type = graph.type;
    spec.shape = spec.tile = {graph::carry_rows(*graph.node(first).settings.iteration, part.spec.pass_steps),
                              graph.shape(first).columns};
    spec.kept = 1;
    spec.generations = part.part.times * most_generations(part.spec);
    part.carries.push_back(static_cast<int>(arrays_.size()));
    arrays_.push_back(std::move(spec));
  }
}

/// Needs of a part's phases for each array: from the one that makes it to the last one that reads it.
std::vector<LiveTiles> GraphPlan::live_in(std::size_t part) const {
  std::vector<LiveTiles> live(arrays_.size());
  const GraphPart& own = parts_[part].part;
  for (std::size_t n = 0; n < definition_.parts.arrays.size(); ++n) {
    const GraphArray& array = definition_.parts.arrays[n];
    const int last = std::max({array.made_in, array.renewed_in, array.last_read});
    if (std::cmp_less(part, array.made_in) || std::cmp_greater(part, last)) continue;
    const std::int64_t tiles = TileGrid(arrays_[n].shape, arrays_[n].tile).count();
    const bool is_renewed = std::cmp_equal(part, array.renewed_in);
    const bool is_written = std::ranges::count(own.kept, static_cast<int>(n)) > 0;
    live[n] = {is_renewed ? 2 * tiles : tiles, is_renewed ? tiles : 0,
               is_written ? std::min<std::int64_t>(tiles, graph::most_tiles_written) : 0};
  }
  constexpr LiveTiles updated{1, 1, 1};
  for (const int number : own.reductions) {
    live[definition_.parts.arrays.size() + static_cast<std::size_t>(number)] = updated;
  }
  for (const int carry : parts_[part].carries) live[static_cast<std::size_t>(carry)] = updated;
  return live;
}

const GraphArray* GraphPlan::array(int number) const {
  const std::vector<GraphArray>& arrays = definition_.parts.arrays;
  return static_cast<std::size_t>(number) < arrays.size() ? &arrays[static_cast<std::size_t>(number)] : nullptr;
}

const graph::Reduction& GraphPlan::reduction(int array) const {
  return definition_.graph->reductions[static_cast<std::size_t>(array) - definition_.parts.arrays.size()];
}

/// Rows of a tile: the most that a block writes, or, of an input, no more than a share of the smallest slab that
/// reads it.
std::int64_t GraphPlan::tile_rows(const GraphArray& array) const {
  const auto number = static_cast<int>(arrays_.size());
  const std::int64_t row = array.shape.columns * static_cast<std::int64_t>(size_of(array.type));
  std::int64_t rows = std::clamp<std::int64_t>(input_tile_bytes / row, 1, array.shape.rows), written = 0;
  for (const PlannedPart& part : parts_) {
    const auto kept = std::ranges::find(part.part.kept, number);
    if (kept != part.part.kept.end()) {
      const auto place = static_cast<std::size_t>(kept - part.part.kept.begin());
      written = std::max<std::int64_t>(written, graph::most_rows_of_slab(part.spec, place));
    }
    if (std::ranges::find(part.part.inputs, number) == part.part.inputs.end()) continue;
    const std::int64_t share = part.spec.slab_rows * array.shape.rows / graph::most_kept_rows(*part.spec.graph);
    rows = std::min(rows, std::max<std::int64_t>(1, share));
  }
  return written > 0 ? written : rows;
}

double cells_of(const graph::Graph& graph) {
  double most = 0;
  const std::int64_t tallest = graph::most_kept_rows(graph);
  for (std::size_t n = 0; n < graph.targets(); ++n) {
    const graph::Shape shape = graph.shape(graph.target(n));
    if (shape.rows == tallest) most = std::max(most, static_cast<double>(shape.columns));
  }
  return most * static_cast<double>(tallest);
}

std::int64_t GraphPlan::entries(int array, const run::Tally& tally) const {
  const bool is_result = arrays_[static_cast<std::size_t>(array)].role == run::Role::result;
  if (!is_result || this->array(array) != nullptr || reduction(array).makes != graph::Makes::positions) {
    return Plan::entries(array, tally);
  }
  const auto number = array - static_cast<int>(definition_.parts.arrays.size());
  return static_cast<std::int64_t>(static_cast<const GraphTally&>(tally).number(number));
}

bool GraphPlan::depends_on_results(std::int64_t number) const {
  const std::size_t part = turn_of(number).part;
  return part < parts_.size() && !parts_[part].part.numbers.empty();
}

std::string GraphPlan::part(const run::Phase& phase) const {
  return parts_.size() == 1 ? "" : part_name(turn_of(phase).part);
}

/// The first part that makes an array makes generation 1, each renewal the next one.
std::int64_t GraphPlan::generation_read(const GraphArray& array, PartTurn turn) const {
  if (array.made_in < 0) return 0;
  if (array.renewed_in < 0) return 1;
  const auto renewal = static_cast<std::size_t>(array.renewed_in);
  return 1 + (turn.part == renewal ? turn.turn : parts_[renewal].part.times);
}

run::Block GraphPlan::block(const run::Phase& phase, std::int64_t index) const {
  const PartTurn turn = turn_of(phase);
  const GraphPart& part = parts_[turn.part].part;
  const graph::GraphSpec spec = spec_of(phase);
  const graph::Graph& graph = *spec.graph;
  run::Block block;
  const std::vector<Rows> needed = graph::rows_needed(spec, index);
  for (std::size_t n = 0; n < graph.inputs.size(); ++n) {
    const int number = part.inputs[n];
    const GraphArray& own = *array(number);
    const std::int64_t generation = generation_read(own, turn);
    const Rows read = needed[n].joined(graph::most_ranges_read);
    for (const Range& rows : read.ranges()) {
      block.accesses.push_back({{Slot::input, n},
                                number,
                                generation,
                                box_of(rows, own.shape.columns),
                                run::Mode::read,
                                run::View::contiguous});
    }
    const bool is_renewed = std::cmp_equal(own.renewed_in, turn.part);
    const bool is_last = is_renewed || (std::cmp_equal(own.last_read, turn.part) && turn.turn + 1 == part.times);
    if (own.role == run::Role::scratch && is_last && index == graph::slabs_of(spec) - 1) {
      block.last_uses.push_back({number, generation, box_of({0, own.shape.rows}, own.shape.columns)});
    }
  }
  for (std::size_t n = 0; n < graph.kept.size(); ++n) {
    const Range rows = graph::rows_of_slab(spec, index, n);
    if (rows.size() == 0) continue;
    const Box box = box_of(rows, graph.shape(graph.kept[n].value).columns);
    const bool is_renewed = std::cmp_equal(array(part.kept[n])->renewed_in, turn.part);
    const std::int64_t generation = is_renewed ? turn.turn + 2 : 1;
    block.accesses.push_back({{Slot::kept, n}, part.kept[n], generation, box, run::Mode::write});
  }
  add_updated(phase, index, block);
  const std::int64_t tallest = graph::most_kept_rows(graph);
  const auto rows = static_cast<double>(std::min(spec.slab_rows, tallest - index * spec.slab_rows));
  block.operations = cells_of(graph) / static_cast<double>(tallest) * rows;
  return block;
}

/// The first block makes generation 1, every other one the next, the last one that of the result. A part that is
/// computed several times goes on from there each time.
run::Access GraphPlan::update_of(const run::Phase& phase, std::int64_t index, run::Slot slot, int array) const {
  const run::ArraySpec& spec = arrays_[static_cast<std::size_t>(array)];
  const PartTurn turn = turn_of(phase);
  const std::int64_t of_turn = spec.generations / parts_[turn.part].part.times, before = turn.turn * of_turn;
  const std::int64_t made = before + (index + 1 == phase.count ? of_turn : index + 1);
  const Box all{Extents::filled(spec.shape.rank(), 0), spec.shape};
  run::Access access{slot, array, index == 0 ? made : before + index, all,
                     index == 0 ? run::Mode::write : run::Mode::update};
  if (index > 0) access.made = made;
  return access;
}

void GraphPlan::add_updated(const run::Phase& phase, std::int64_t index, run::Block& block) const {
  const PlannedPart& own = parts_[turn_of(phase).part];
  const auto add = [&](run::Slot slot, int array) {
    const run::ArraySpec& spec = arrays_[static_cast<std::size_t>(array)];
    const run::Access update = update_of(phase, index, slot, array);
    block.accesses.push_back(update);
    if (index + 1 < phase.count || spec.role != run::Role::scratch) return;
    block.last_uses.push_back({array, index == 0 ? update.generation : update.made, update.box});
  };
  for (std::size_t n = 0; n < own.part.reductions.size(); ++n) {
    add({Slot::reduced, n}, static_cast<int>(definition_.parts.arrays.size()) + own.part.reductions[n]);
  }
  for (std::size_t n = 0; n < own.carries.size(); ++n) add({Slot::carried, n}, own.carries[n]);
}

GraphTask GraphPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  GraphTask task{};
  const auto value = phase.value.as<PartPhase>();
  for (int n = 0; n < graph::most_numbers; ++n) task.numbers[n] = std::bit_cast<double>(value.numbers[n]);
  task.slab = view.index;
  run::bind_slots(slots, view, task);
  return task;
}

BlockMemory GraphPlan::block_memory(std::size_t part) const {
  return block_memory(phase_of({part, 0}, parts_[part].spec.known, parts_[part].spec.slab_rows));
}

BlockMemory GraphPlan::block_memory(const run::Phase& phase) const {
  BlockMemory most;
  const std::int64_t slabs = phase.count, step = std::max<std::int64_t>(1, slabs / looked_at);
  for (std::int64_t number = 0; number < slabs + step; number += step) {
    BlockMemory own;
    for (const run::Access& access : block(phase, std::min(number, slabs - 1)).accesses) {
      const run::ArraySpec& spec = arrays_[static_cast<std::size_t>(access.array)];
      const auto element = static_cast<std::int64_t>(size_of(spec.type));
      const std::int64_t tile = whole_pages(volume(spec.tile) * element);
      // A part of a kept node may lie in two tiles. What is read is assembled from whole tiles, all of which may be
      // there meanwhile.
      const bool is_written = access.mode != run::Mode::read, is_reduced = array(access.array) == nullptr;
      const std::int64_t tiles = is_reduced ? 1 : is_written ? 2 : ceiling(access.box.shape()[0], spec.tile[0]) + 1;
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

std::int64_t GraphPlan::workspace_of(const graph::GraphMethod& method, const graph::GraphSpec& spec) const {
  return static_cast<std::int64_t>(method.workspace(spec, resources_.device));
}

double GraphPlan::repeated_share(std::size_t first_part, std::size_t end_part) const {
  double all = 0, once = 0;
  for (std::size_t n = first_part; n < end_part; ++n) {
    const graph::GraphSpec& spec = parts_[n].spec;
    const auto times = static_cast<double>(parts_[n].part.times);
    all += times * graph::work_of(spec);
    once += times * graph::work_of({.graph = spec.graph, .slab_rows = graph::most_kept_rows(*spec.graph)});
  }
  return all > once ? 1 - once / all : 0;
}

std::unique_ptr<run::Worker> GraphPlan::make_worker(device::Context& context) const {
  return std::make_unique<GraphWorker>(*this, context);
}

}  // namespace terrace::stages
