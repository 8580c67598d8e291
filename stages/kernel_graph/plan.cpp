#include "stages/kernel_graph/plan.hpp"

#include <algorithm>

#include "kernels/graph/slabs.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/stage_methods.hpp"

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

GraphPlan::GraphPlan(GraphDefinition definition, std::int64_t slab_rows, const graph::GraphMethod& method)
    : definition_(std::move(definition)), spec_{definition_.graph, slab_rows}, method_(method) {
  add_inputs();
  add_kept();
}

void GraphPlan::add_inputs() {
  const std::int64_t tallest = graph::most_kept_rows(graph());
  for (std::size_t n = 0; n < graph().inputs.size(); ++n) {
    const graph::Input& input = graph().inputs[n];
    run::ArraySpec spec;
    spec.name = "input_" + std::to_string(n);
    spec.role = run::Role::input;
    spec.type = input.type;
    spec.shape = {input.shape.rows, input.shape.columns};
    const std::int64_t row = input.shape.columns * static_cast<std::int64_t>(size_of(input.type));
    const std::int64_t share = std::max<std::int64_t>(1, spec_.slab_rows * input.shape.rows / tallest);
    spec.tile = {std::clamp<std::int64_t>(input_tile_bytes / row, 1, std::min<std::int64_t>(share, input.shape.rows)),
                 input.shape.columns};
    spec.source = definition_.inputs[n];
    arrays_.push_back(std::move(spec));
  }
}

void GraphPlan::add_kept() {
  for (std::size_t n = 0; n < graph().kept.size(); ++n) {
    const graph::Kept& kept = graph().kept[n];
    const graph::Node& node = graph().node(kept.value);
    run::ArraySpec spec;
    spec.name = node.name;
    spec.role = run::Role::result;
    spec.type = kept.type;
    spec.shape = {node.shape.rows, node.shape.columns};
    spec.tile = {graph::most_rows_of_slab(spec_, n), node.shape.columns};
    spec.kept = 1;
    arrays_.push_back(std::move(spec));
  }
}

std::optional<std::size_t> GraphPlan::kept_of(int array) const {
  const auto number = static_cast<std::size_t>(array);
  if (number < graph().inputs.size()) return std::nullopt;
  return number - graph().inputs.size();
}

double GraphPlan::cells() const {
  double most = 0;
  const std::int64_t tallest = graph::most_kept_rows(graph());
  for (const graph::Kept& kept : graph().kept) {
    const graph::Shape shape = graph().shape(kept.value);
    if (shape.rows == tallest) most = std::max(most, static_cast<double>(shape.columns));
  }
  return most * static_cast<double>(tallest);
}

std::optional<run::Phase> GraphPlan::phase(std::int64_t number, const run::Tally&) const {
  if (number > 0) return std::nullopt;
  return run::Phase{number, graph::slabs_of(spec_)};
}

run::Block GraphPlan::block(const run::Phase&, std::int64_t index) const {
  run::Block block;
  const std::vector<Rows> needed = graph::rows_needed(spec_, index);
  for (std::size_t n = 0; n < graph().inputs.size(); ++n) {
    const Rows read = needed[n].joined(graph::most_ranges_read);
    for (const Range& rows : read.ranges()) {
      block.accesses.push_back({{Slot::input, n},
                                static_cast<int>(n),
                                0,
                                box_of(rows, graph().inputs[n].shape.columns),
                                run::Mode::read,
                                run::View::contiguous});
    }
  }
  for (std::size_t n = 0; n < graph().kept.size(); ++n) {
    const Range rows = graph::rows_of_slab(spec_, index, n);
    if (rows.size() == 0) continue;
    const Box box = box_of(rows, graph().shape(graph().kept[n].value).columns);
    block.accesses.push_back({{Slot::kept, n}, array_of_kept(n), 1, box, run::Mode::write});
  }
  const auto rows =
      static_cast<double>(std::min(spec_.slab_rows, graph::most_kept_rows(graph()) - index * spec_.slab_rows));
  block.operations = cells() / static_cast<double>(graph::most_kept_rows(graph())) * rows;
  return block;
}

GraphTask GraphPlan::task(const run::Phase&, const run::BlockView& view) const {
  GraphTask task{};
  task.slab = view.index;
  run::bind_slots(slots, view, task);
  return task;
}

BlockMemory GraphPlan::block_memory() const {
  BlockMemory most;
  const std::int64_t slabs = graph::slabs_of(spec_), step = std::max<std::int64_t>(1, slabs / looked_at);
  for (std::int64_t number = 0; number < slabs + step; number += step) {
    BlockMemory own;
    for (const run::Access& access : block({}, std::min(number, slabs - 1)).accesses) {
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

std::unique_ptr<run::Worker> GraphPlan::make_worker(device::Context& context) const {
  auto workspace = workspace_for(method_, spec_, context);
  auto kernel = make_kernel(method_, spec_, context, workspace.get());
  return std::make_unique<KernelWorker<GraphPlan>>(*this, std::move(kernel), std::move(workspace));
}

}  // namespace terrace::stages
