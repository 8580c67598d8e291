#include "kernels/dp_table/cuda/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "kernels/dp_table/measured.hpp"

namespace terrace::dp_table {
namespace {

using Sizes = measured::CudaTiles;
using Index = std::vector<i64>;

i64 quotient_up(i64 a, i64 b) { return (a + b - 1) / b; }

/// Number of index vectors within `counts` by their sum.
std::vector<double> levels_of(const Index& counts) {
  std::vector<double> levels{1};
  for (const i64 count : counts) {
    std::vector<double> next(levels.size() + static_cast<std::size_t>(count) - 1);
    double sum = 0;
    for (std::size_t level = 0; level < next.size(); ++level) {
      if (level < levels.size()) sum += levels[level];
      if (level >= static_cast<std::size_t>(count)) sum -= levels[level - static_cast<std::size_t>(count)];
      next[level] = sum;
    }
    levels = std::move(next);
  }
  return levels;
}

Index counts_of(const Index& extents, const Index& shape) {
  Index counts;
  for (std::size_t d = 0; d < extents.size(); ++d) counts.push_back(quotient_up(extents[d], shape[d]));
  return counts;
}

/// Lines of a sub-block, in each dimension.
Index lines_of(const TileCut& cut) {
  Index lines = cut.shape;
  lines.back() = quotient_up(lines.back(), cut.line_cells);
  return lines;
}

/// Nanoseconds in which a thread block makes a sub-block, with so many others on its multiprocessor.
double block_time(const std::vector<double>& lines, const TileCut& cut, i64 steps, double blocks) {
  const double groups = static_cast<double>(Sizes::warps / cut.ways * (32 / cut.line_cells));
  double time = Sizes::ticket + Sizes::stage * static_cast<double>(steps) / (32 * Sizes::warps);
  for (const double count : lines) {
    const double rounds = std::ceil(count / groups), busy = std::min(1.0, count / groups);
    const double look_up = std::max(Sizes::latency, Sizes::look_up * Sizes::warps * blocks * busy);
    time += Sizes::barrier + rounds * (Sizes::round * (cut.ways > 1 ? 2 : 1) +
                                       look_up * std::ceil(static_cast<double>(steps) / cut.ways));
  }
  return time;
}

/// Nanoseconds in which a tile is made.
double time_of(const Index& extents, const TileCut& cut, i64 steps) {
  const std::vector<double> lines = levels_of(lines_of(cut));
  double times[Sizes::resident + 1];
  for (int blocks = 1; blocks <= Sizes::resident; ++blocks) times[blocks] = block_time(lines, cut, steps, blocks);
  double time = 0;
  for (const double count : levels_of(counts_of(extents, cut.shape))) {
    const int blocks =
        std::clamp(static_cast<int>(std::ceil(count / Sizes::processors)), 1, static_cast<int>(Sizes::resident));
    time += Sizes::level + std::ceil(count / (Sizes::processors * blocks)) * times[blocks];
  }
  return time;
}

/// The best number of ways for the shape, and its time.
double choose_ways(const Index& extents, TileCut& cut, i64 steps) {
  double best = -1;
  for (int ways = 1; ways <= Sizes::warps; ways *= 2) {
    TileCut tried = cut;
    tried.ways = ways;
    const double time = time_of(extents, tried, steps);
    if (best < 0 || time < best) best = time, cut.ways = ways;
  }
  return best;
}

i64 product(const Index& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), i64{1}, std::multiplies<>());
}

/// Sorts index vectors within `counts` by their sum, in each level in row-major order. Calls place(index) at each.
/// @return where each level begins, and the end of the last
template <class Number, class Place>
std::vector<Number> sort_by_levels(const Index& counts, const Place& place) {
  const std::vector<double> sizes = levels_of(counts);
  std::vector<Number> begin(sizes.size() + 1, 0);
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    begin[level + 1] = begin[level] + static_cast<Number>(sizes[level]);
  }
  std::vector<Number> next = begin;
  Index index(counts.size(), 0);
  std::size_t level = 0;
  while (true) {
    place(static_cast<std::size_t>(next[level]++), index);
    std::size_t d = counts.size();
    while (d-- > 0) {
      if (++index[d] < counts[d]) break;
      level -= static_cast<std::size_t>(index[d] - 1);
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return begin;
    ++level;
  }
}

/// True if each step less one in any dimension is a step, too, or no step at all.
bool is_closed(const StepSet& set, const StepTable& steps, const std::set<Index>& all) {
  for (const StepEntry& entry : steps.entries) {
    const std::int64_t* step = set.step(entry.number);
    Index less(step, step + set.dimensions);
    const i64 sum = std::accumulate(less.begin(), less.end(), i64{0});
    for (i64& component : less) {
      if (component == 0 || sum == 1) continue;
      --component;
      if (!all.contains(less)) return false;
      ++component;
    }
  }
  return true;
}

}  // namespace

i64 line_cells_of(i64 extent) {
  i64 best = 1;
  double best_use = 0;
  const i64 fewest = quotient_up(extent, most_line_cells);
  for (i64 lines = fewest; lines <= std::min(extent, fewest + 3); ++lines) {
    const i64 cells = quotient_up(extent, lines);
    // Lanes that have a cell, of those that the extent takes; a line more costs a level.
    const double use =
        static_cast<double>(extent * (32 / cells)) / static_cast<double>(32 * quotient_up(extent, cells)) -
        Sizes::line_level * static_cast<double>(lines - fewest);
    if (use > best_use) best_use = use, best = cells;
  }
  return best;
}

TileCut choose_cut(const Index& extents, i64 steps, bool rows_are_single) {
  TileCut cut{Index(extents.size(), 1), line_cells_of(extents.back()), 1};
  cut.shape.back() = cut.line_cells;
  TileCut best = cut;
  double best_time = choose_ways(extents, best, steps);
  while (product(cut.shape) < Sizes::most_cells) {
    // The dimension in which to double the sub-block next.
    TileCut next = cut;
    double next_time = -1;
    for (std::size_t d = rows_are_single && extents.size() > 1 ? 1 : 0; d < extents.size(); ++d) {
      const i64 blocks = quotient_up(extents[d], cut.shape[d]);
      if (blocks == 1) continue;
      TileCut tried = cut;
      tried.shape[d] = quotient_up(extents[d], (blocks + 1) / 2);
      if (d + 1 == extents.size()) tried.shape[d] = quotient_up(tried.shape[d], cut.line_cells) * cut.line_cells;
      const double time = choose_ways(extents, tried, steps);
      if (next_time < 0 || time < next_time) next_time = time, next = tried;
    }
    if (next_time < 0) break;
    cut = next;
    if (next_time < best_time) best_time = next_time, best = next;
  }
  return best;
}

TablePlan::TablePlan(const Table& made) : table(made), steps(made) {
  const int whole = table.cut.whole, rank = table.extents.rank();
  for (int d = whole; d < rank; ++d) extents.push_back(table.extents[d]);
  const bool in_ranges = table.cut.rows < extents[0];
  extents[0] = std::min<i64>(extents[0], table.cut.rows);
  strides.assign(extents.size(), 1);
  for (std::size_t d = extents.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * extents[d];

  for (const StepEntry& entry : steps.entries) {
    one_cost =
        one_cost && entry.whole_cost == steps.entries[0].whole_cost && entry.real_cost == steps.entries[0].real_cost;
  }
  if (table.schedule == Schedule::partitioned) {
    Extents tile;
    for (const i64 extent : extents) tile.push_back(extent);
    const Extents divided = partition_of(tile, table.partition_dimensions);
    cut.shape.assign(divided.begin(), divided.end());
  } else {
    cut = choose_cut(extents, static_cast<i64>(steps.entries.size()), in_ranges);
  }

  // A step is not needed where a longer one fits if cells of smaller indices never have larger values.
  const bool grows = table.combine == Combine::any || (table.combine == Combine::min && one_cost &&
                                                       !steps.entries.empty() && steps.entries[0].real_cost >= 0);
  const bool may_be_closed = grows && steps.entries.size() <= Sizes::most_closed_steps;
  std::set<Index> all;
  if (may_be_closed) {
    for (const StepEntry& entry : steps.entries) {
      const std::int64_t* step = table.steps.step(entry.number);
      all.emplace(step, step + rank);
    }
    closed = is_closed(table.steps, steps, all);
  }
  for (const StepEntry& entry : steps.entries) {
    const std::int64_t* step = table.steps.step(entry.number);
    const bool along = std::all_of(step, step + rank - 1, [](std::int64_t component) { return component == 0; });
    if (along && step[rank - 1] < cut.line_cells) {
      inner.push_back({entry.whole_cost, entry.real_cost, static_cast<i32>(step[rank - 1]), entry.number});
      continue;
    }
    DeviceStep device{{{entry.packed.word[0], entry.packed.word[1]}},
                      {{0, 0}},
                      entry.offset,
                      entry.rows,
                      entry.whole_cost,
                      entry.real_cost,
                      entry.source,
                      entry.number};
    if (closed) {
      Index longer(step, step + rank);
      for (int d = whole; d < rank; ++d) {
        ++longer[static_cast<std::size_t>(d)];
        const PackedField& field = steps.fields[static_cast<std::size_t>(d - whole)];
        const auto bits = std::bit_width(static_cast<u64>(table.extents[d] - 1));
        if (all.contains(longer)) device.cover.word[field.word] |= ((u64{1} << bits) - 1) << field.shift;
        --longer[static_cast<std::size_t>(d)];
      }
    }
    outer.push_back(device);
  }
  std::stable_sort(inner.begin(), inner.end(),
                   [](const InnerStep& a, const InnerStep& b) { return a.along < b.along; });
  for (i32 length = 0; length <= most_line_cells; ++length) {
    inner_begin.push_back(static_cast<i32>(
        std::count_if(inner.begin(), inner.end(), [&](const InnerStep& step) { return step.along < length; })));
  }

  const auto count = [](const Index& counts, i64& all_of_them, i64& levels) {
    all_of_them = product(counts);
    levels = 1;
    for (const i64 each : counts) levels += each - 1;
  };
  count(lines_of(cut), line_count, line_levels);
  count(counts_of(extents, cut.shape), block_count, block_levels);

  const auto add = [&](i64 number, std::size_t bytes) {
    const std::size_t at = places.bytes;
    places.bytes += (static_cast<std::size_t>(number) * bytes + 255) / 256 * 256;
    return at;
  };
  places.steps = add(static_cast<i64>(outer.size()), sizeof(DeviceStep));
  places.inner = add(static_cast<i64>(inner.size()), sizeof(InnerStep));
  places.inner_begin = add(most_line_cells + 1, sizeof(i32));
  places.lines = add(line_count, sizeof(LinePlace));
  places.line_levels = add(line_levels + 1, sizeof(i32));
  places.blocks = add(block_count, sizeof(SubBlock));
  places.block_levels = add(block_levels + 1, sizeof(u64));
  if (table.schedule == Schedule::partitioned) {
    places.places = add(std::accumulate(extents.begin(), extents.end(), i64{0}), sizeof(i64));
    places.reorganised = add(product(counts_of(extents, cut.shape)) * product(cut.shape), size_of(table.type));
  }
}

Words TablePlan::pack(const Index& index) const {
  const Packed packed = steps.pack(index.data());
  return {{packed.word[0], packed.word[1]}};
}

TableLayout TablePlan::layout(const unsigned char* workspace) const {
  const auto at = [&](std::size_t place) { return reinterpret_cast<const void*>(workspace + place); };
  const auto bits_of = [&](int d) { return std::bit_width(static_cast<u64>(table.extents[d] - 1)); };
  TableLayout layout{};
  layout.steps = static_cast<const DeviceStep*>(at(places.steps));
  layout.inner = static_cast<const InnerStep*>(at(places.inner));
  layout.inner_begin = static_cast<const i32*>(at(places.inner_begin));
  layout.lines = static_cast<const LinePlace*>(at(places.lines));
  layout.line_levels = static_cast<const i32*>(at(places.line_levels));
  layout.blocks = static_cast<const SubBlock*>(at(places.blocks));
  layout.block_levels = static_cast<const u64*>(at(places.block_levels));
  layout.block_level_count = static_cast<u64>(block_levels);
  layout.block_count = static_cast<u64>(block_count);
  layout.line_level_count = static_cast<i32>(line_levels);
  layout.step_count = static_cast<i32>(outer.size());
  layout.staged_count = static_cast<i32>(std::min<std::size_t>(outer.size(), Sizes::most_staged));
  layout.capacity = (layout.staged_count + 3) / 4 * 4;
  for (const InnerStep& step : inner) layout.inner_lengths |= 1u << step.along;
  layout.line_cells = static_cast<i32>(cut.line_cells);
  layout.lines_along = static_cast<i32>(std::min<i64>(2, quotient_up(extents.back(), cut.line_cells)));
  layout.ways = cut.ways;
  layout.guards = {{steps.guards.word[0], steps.guards.word[1]}};
  layout.row_word = steps.fields.front().word;
  layout.row_shift = steps.fields.front().shift;
  layout.row_mask = (u64{1} << bits_of(table.cut.whole)) - 1;
  layout.along_word = steps.fields.back().word;
  layout.along_shift = steps.fields.back().shift;
  layout.along_mask = (u64{1} << bits_of(table.extents.rank() - 1)) - 1;
  layout.row_cells = strides[0];
  layout.modulus = table.modulus;
  layout.cap = table.cap;
  if (!steps.entries.empty()) {
    layout.whole_cost = steps.entries[0].whole_cost;
    layout.real_cost = steps.entries[0].real_cost;
  }
  return layout;
}

TableLists::TableLists(const TablePlan& plan) {
  const auto offset_of = [&](const Index& index) {
    i64 offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * plan.strides[d];
    return offset;
  };
  const Index& shape = plan.cut.shape;
  lines.resize(static_cast<std::size_t>(plan.line_count));
  line_levels = sort_by_levels<i32>(lines_of(plan.cut), [&](std::size_t at, Index index) {
    index.back() *= plan.cut.line_cells;
    lines[at] = {plan.pack(index), offset_of(index)};
  });
  blocks.resize(static_cast<std::size_t>(plan.block_count));
  block_levels = sort_by_levels<u64>(counts_of(plan.extents, shape), [&](std::size_t at, Index low) {
    Index high = low;
    for (std::size_t d = 0; d < low.size(); ++d) {
      low[d] *= shape[d];
      high[d] = std::min(low[d] + shape[d], plan.extents[d]) - 1;
    }
    blocks[at] = {plan.pack(low), plan.pack(high), offset_of(low)};
  });
  if (plan.table.schedule != Schedule::partitioned) return;
  // Algorithm 5: a cell's block, and its offset in the block: its index modulo the block's size.
  const Index counts = counts_of(plan.extents, shape);
  const i64 cells = product(shape);
  i64 block_stride = cells, stride = 1;
  std::vector<Index> by_dimension(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    for (i64 c = 0; c < plan.extents[d]; ++c) {
      by_dimension[d].push_back(c / shape[d] * block_stride + c % shape[d] * stride);
    }
    block_stride *= counts[d];
    stride *= shape[d];
  }
  for (const Index& of_dimension : by_dimension)
    places.insert(places.end(), of_dimension.begin(), of_dimension.end());
}

}  // namespace terrace::dp_table
