#include "kernels/graph/cpu/ring_cut.hpp"

#include <algorithm>

#include "kernels/graph/measured.hpp"

namespace terrace::graph {
namespace {

/// Columns are cut at multiples of these: a cache line of f32, two of f64.
constexpr i64 line = 16;

i64 rounded_down(i64 columns) { return columns / line * line; }
i64 rounded_up(i64 columns) { return rounded_down(columns + line - 1); }

bool cuts_columns(const Iteration& iteration) {
  return std::ranges::none_of(iteration.joined->sources,
                              [](const FormulaSource& source) { return source.boundary == Boundary::periodic; });
}

i64 arrays_of(const Iteration& iteration) {
  return std::ssize(iteration.body.inputs) + static_cast<i64>(iteration.states());
}

/// True if a ring is in the cache, and what is made again is little.
bool is_fit(const RingCut& cut, const Iteration& iteration, std::size_t size) {
  if (ring_bytes(cut, iteration, size) > measured::iteration_ring_bytes) return false;
  return cut.halo == 0 || cut.columns >= std::max<i64>(measured::iteration_least_columns, 8 * cut.halo);
}

}  // namespace

RingCut cut_of_steps(const Iteration& iteration, std::size_t size, i64 steps, i64 threads) {
  RingCut cut;
  cut.steps = steps;
  cut.front = measured::iteration_front_rows;
  cut.slots = cut.front + (steps + 1) * iteration.row_radius;
  const i64 columns = iteration.shape().columns, beside = rounded_up(steps * iteration.column_radius) + line;
  const i64 room =
      rounded_down(measured::iteration_ring_bytes / (arrays_of(iteration) * cut.slots * static_cast<i64>(size)));
  cut.columns = columns;
  if ((threads > 1 || room < columns + line) && cuts_columns(iteration)) {
    cut.halo = beside;
    const i64 most = std::max(line, room - 2 * beside - line) * threads, rounds = (columns + most - 1) / most;
    cut.columns = rounded_up((columns + rounds * threads - 1) / (rounds * threads));
  }
  // Rows of arrays do not lie a multiple of 4 KiB apart, where they would share lines of the first cache.
  cut.pitch = rounded_up(cut.columns + 2 * cut.halo) + line;
  return cut;
}

i64 ring_bytes(const RingCut& cut, const Iteration& iteration, std::size_t size) {
  return cut.slots * arrays_of(iteration) * cut.pitch * static_cast<i64>(size);
}

RingCut ring_cut(const Iteration& iteration, std::size_t size, i64 most_steps, i64 threads) {
  i64 steps = std::min<i64>(most_steps, measured::iteration_most_steps);
  while (steps > 1 && !is_fit(cut_of_steps(iteration, size, steps, threads), iteration, size)) --steps;
  // Passes have about as many steps each.
  const i64 passes = (most_steps + steps - 1) / steps;
  return cut_of_steps(iteration, size, (most_steps + passes - 1) / passes, threads);
}

i64 tiles_of(const RingCut& cut, i64 pieces, i64 rows, i64 threads) {
  if (threads == 1) return 1;
  constexpr i64 units_of_thread = 4, least = 16;
  const i64 halo = std::max<i64>(1, cut.slots);
  const i64 few = std::min(rows / halo, (threads + pieces - 1) / pieces);
  return std::max<i64>({1, few, std::min(rows / (least * halo), (units_of_thread * threads + pieces - 1) / pieces)});
}

Range RingTile::rows_above(i64 step) const {
  if (handed == nullptr || handed->made(before + step + 1).size() == 0) return {};
  const i64 end = handed->made(before + step).begin;
  return {std::max<i64>(0, handed->made(before + step + 1).begin - iteration.row_radius), end};
}

Range RingTile::rows_after(i64 step) const {
  if (handed != nullptr) return handed->made(before + step);
  const i64 wider = (cut.steps - step) * iteration.row_radius;
  return {std::max<i64>(0, rows.begin - wider), std::min(iteration.shape().rows, rows.end + wider)};
}

Range RingTile::columns_after(i64 step) const {
  const i64 columns = iteration.shape().columns, moved = step * iteration.column_radius;
  if (step == cut.steps) return piece;
  const i64 begin = piece.begin - cut.halo, end = piece.end + cut.halo;
  return {begin <= 0 ? 0 : rounded_up(begin + moved), end >= columns ? columns : rounded_down(end - moved)};
}

}  // namespace terrace::graph
