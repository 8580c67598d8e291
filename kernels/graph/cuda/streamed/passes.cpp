#include "kernels/graph/cuda/streamed/passes.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace terrace::graph {
namespace {

/// True if all rows begin at multiples of 16 bytes.
bool is_aligned(const RowsInMemory& memory, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(memory.data) % 16 == 0 &&
         static_cast<std::size_t>(memory.stride) * bytes % 16 == 0;
}

}  // namespace

std::vector<StreamedLayout> StreamedPasses::layouts(const Iteration& iteration, const StreamedPlan& plan) {
  std::vector<StreamedLayout> all;
  for (i32 warps = 1; warps <= plan.sizes.warps; ++warps) {
    all.push_back(plan.layout(static_cast<int>(iteration.states()), warps));
  }
  return all;
}

StreamedPasses::StreamedPasses(const Iteration& iteration, StreamedPlan plan, StreamedLaunch launch)
    : iteration_(iteration), plan_(std::move(plan)), launch_(std::move(launch)), layout_(layouts(iteration, plan_)) {}

void StreamedPasses::launch(Range rows, i64 steps, const PassMemory& memory, cudaStream_t stream) const {
  const Shape shape = iteration_.shape();
  const auto number = static_cast<std::size_t>((steps + plan_.sizes.levels - 1) / plan_.sizes.levels) - 1;
  const StreamedLayout& layout = layout_[number];
  StreamedWork work{};
  work.state = memory.state;
  work.rows = rows;
  const i64 reach = steps * iteration_.row_radius;
  work.there = {std::max<i64>(rows.begin - reach, 0), std::min(rows.end + reach, shape.rows)};
  work.shape = shape;
  work.steps = static_cast<i32>(steps);
  work.is_aligned = 1;
  const auto take = [&](const Pieces& pieces, Range of) {
    const RowsInMemory& found = piece_with(pieces, of).memory;
    if (!is_aligned(found, size_of(iteration_.body.type))) work.is_aligned = 0;
    return found;
  };
  const std::size_t bytes = size_of(iteration_.body.type);
  const auto take_there = [&](std::size_t input) -> StreamedRows {
    const RowsInMemory found = take(memory.inputs[input], work.there);
    const auto before = static_cast<std::size_t>((work.there.begin - found.first) * found.stride);
    return {static_cast<const std::byte*>(found.data) + before * bytes, static_cast<i32>(found.stride)};
  };
  const std::size_t states = iteration_.states();
  for (std::size_t n = 0; n < states; ++n) {
    work.from[n] = take_there(n);
    work.to[n] = take(memory.made[n], rows);
  }
  for (std::size_t n = 0; n < plan_.constants.size(); ++n) {
    work.from[states + n] = take_there(static_cast<std::size_t>(plan_.constants[n]));
  }
  work.tiles = static_cast<i32>(1 + (shape.columns - layout.tile + layout.useful() - 1) / layout.useful());
  work.chunk_rows = streamed_chunk_rows(rows.size(), work.tiles, launch_.resident[number], layout);
  const i64 chunks = (rows.size() + work.chunk_rows - 1) / work.chunk_rows;
  launch_.launch(work, layout, static_cast<unsigned>(chunks * work.tiles), stream);
}

}  // namespace terrace::graph
