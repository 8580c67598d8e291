#include "kernels/dp_table/cuda/plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <tuple>

#include "kernels/dp_table/cuda/cut.hpp"
#include "kernels/dp_table/measured.hpp"

namespace terrace::dp_table {
namespace {

using Sizes = measured::CudaTiles;
using Index = std::vector<i64>;

/// Bits of an index of a dimension.
int bits_of(i64 extent) { return static_cast<int>(std::bit_width(static_cast<u64>(extent - 1))); }

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

/// The blocks of Algorithm 5; a line is a cell.
TileCut partitions_of(const Index& extents, int dimensions) {
  Extents tile;
  for (const i64 extent : extents) tile.push_back(extent);
  const Extents divided = partition_of(tile, dimensions);
  return {Index(divided.begin(), divided.end()), 1, 1};
}

Index vector_of(const TablePlan& plan, const StepEntry& entry) {
  const std::int64_t* step = plan.table.steps.step(entry.number);
  return {step, step + plan.table.extents.rank()};
}

/// The bits of the dimensions in which one more than the step is a step of `all`.
Words cover_of(const TablePlan& plan, const std::set<Index>& all, Index step) {
  Words cover{{0, 0}};
  for (int d = plan.table.cut.whole; d < plan.table.extents.rank(); ++d) {
    const PackedField& field = plan.steps.fields[static_cast<std::size_t>(d - plan.table.cut.whole)];
    const u64 mask = (u64{1} << bits_of(plan.table.extents[d])) - 1;
    ++step[static_cast<std::size_t>(d)];
    if (all.contains(step)) cover.word[field.word] |= mask << field.shift;
    --step[static_cast<std::size_t>(d)];
  }
  return cover;
}

/// Parts the steps into those that lead out of their cells' lines and those along lines.
void sort_steps(TablePlan& plan) {
  const std::set<Index> all = closed_steps(plan.table, plan.steps);
  plan.closed = !all.empty();
  for (const StepEntry& entry : plan.steps.entries) {
    const Index step = vector_of(plan, entry);
    const bool along = std::all_of(step.begin(), step.end() - 1, [](i64 component) { return component == 0; });
    if (along && step.back() < plan.cut.line_cells) {
      plan.inner.push_back({entry.whole_cost, entry.real_cost, static_cast<i32>(step.back()), entry.number});
    } else {
      const Words packed{{entry.packed.word[0], entry.packed.word[1]}};
      plan.outer.push_back({packed, cover_of(plan, all, step), entry.offset, entry.rows, entry.whole_cost,
                            entry.real_cost, entry.source, entry.number});
    }
  }
  std::stable_sort(plan.inner.begin(), plan.inner.end(),
                   [](const InnerStep& a, const InnerStep& b) { return a.along < b.along; });
  for (i32 length = 0; length <= most_line_cells; ++length) {
    plan.inner_begin.push_back(static_cast<i32>(std::count_if(
        plan.inner.begin(), plan.inner.end(), [&](const InnerStep& step) { return step.along < length; })));
  }
}

/// Number of index vectors within `counts`, and of their levels.
std::pair<i64, i64> counted(const Index& counts) {
  i64 levels = 1;
  for (const i64 each : counts) levels += each - 1;
  return {product(counts), levels};
}

void place_lists(TablePlan& plan) {
  TablePlaces& places = plan.places;
  const auto add = [&](i64 number, std::size_t bytes) {
    const std::size_t at = places.bytes;
    places.bytes += (static_cast<std::size_t>(number) * bytes + 255) / 256 * 256;
    return at;
  };
  places.steps = add(static_cast<i64>(plan.outer.size()), sizeof(DeviceStep));
  places.inner = add(static_cast<i64>(plan.inner.size()), sizeof(InnerStep));
  places.inner_begin = add(most_line_cells + 1, sizeof(i32));
  places.lines = add(plan.line_count, sizeof(LinePlace));
  places.line_levels = add(plan.line_levels + 1, sizeof(i32));
  places.blocks = add(plan.block_count, sizeof(SubBlock));
  places.block_levels = add(plan.block_levels + 1, sizeof(u64));
  if (plan.table.schedule != Schedule::partitioned) return;
  places.places = add(std::accumulate(plan.extents.begin(), plan.extents.end(), i64{0}), sizeof(i64));
  places.reorganised = add(plan.block_count * product(plan.cut.shape), size_of(plan.table.type));
}

}  // namespace

TablePlan::TablePlan(const Table& made) : table(made), steps(made) {
  for (int d = table.cut.whole; d < table.extents.rank(); ++d) extents.push_back(table.extents[d]);
  const bool in_ranges = table.cut.rows < extents[0];
  extents[0] = std::min<i64>(extents[0], table.cut.rows);
  strides.assign(extents.size(), 1);
  for (std::size_t d = extents.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * extents[d];
  cut = table.schedule == Schedule::partitioned
            ? partitions_of(extents, table.partition_dimensions)
            : choose_cut(extents, static_cast<i64>(steps.entries.size()), in_ranges);
  sort_steps(*this);
  std::tie(line_count, line_levels) = counted(lines_of(cut));
  std::tie(block_count, block_levels) = counted(counts_of(extents, cut.shape));
  place_lists(*this);
}

Words TablePlan::pack(const Index& index) const {
  const Packed packed = steps.pack(index.data());
  return {{packed.word[0], packed.word[1]}};
}

TableLayout TablePlan::layout(const unsigned char* workspace) const {
  const auto at = [&](std::size_t place) { return reinterpret_cast<const void*>(workspace + place); };
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
  layout.row_mask = (u64{1} << bits_of(table.extents[table.cut.whole])) - 1;
  layout.along_word = steps.fields.back().word;
  layout.along_shift = steps.fields.back().shift;
  layout.along_mask = (u64{1} << bits_of(table.extents[table.extents.rank() - 1])) - 1;
  layout.row_cells = strides[0];
  layout.modulus = table.modulus;
  layout.cap = table.cap;
  layout.whole_cost = steps.whole_cost;
  layout.real_cost = steps.real_cost;
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
