#include "kernels/dp_table/cuda/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "kernels/device/memory.hpp"
#include "kernels/dp_table/measured.hpp"

namespace terrace::dp_table {
namespace {

using Sizes = measured::CudaTiles;
using Index = std::vector<i64>;

/// Bits of an index of a dimension.
int bits_of(i64 extent) { return static_cast<int>(std::bit_width(static_cast<u64>(extent - 1))); }

/// Joins the parts of all index vectors, parts[d][index[d]] of each dimension d, and sorts them by the sum of their
/// indices, in each level in row-major order.
/// @return where each level begins in `sorted`, and the end of the last
template <class Number, class Value, class Join>
std::vector<Number> sort_by_levels(std::vector<std::vector<Value>> parts, Value joined, const Join& join,
                                   std::vector<Value>& sorted) {
  Index counts;
  for (const auto& of_dimension : parts) counts.push_back(static_cast<i64>(of_dimension.size()));
  const std::vector<double> sizes = levels_of(counts);
  std::vector<Number> begin(sizes.size() + 1, 0);
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    begin[level + 1] = begin[level] + static_cast<Number>(sizes[level]);
  }
  sorted.resize(static_cast<std::size_t>(product(counts)));
  // All have the part of a dimension with one index.
  std::erase_if(parts, [&](const auto& of_dimension) {
    if (of_dimension.size() == 1) joined = join(joined, of_dimension.front());
    return of_dimension.size() == 1;
  });
  std::vector<Number> next = begin;
  const auto join_from = [&](const auto& self, std::size_t d, std::size_t level, const Value& before) -> void {
    if (d == parts.size()) {
      sorted[static_cast<std::size_t>(next[level]++)] = before;
      return;
    }
    for (const Value& part : parts[d]) self(self, d + 1, level++, join(before, part));
  };
  join_from(join_from, 0, 0, joined);
  return begin;
}

/// The blocks of Algorithm 5.
TileCut partitions_of(const Index& extents, int dimensions) {
  Extents tile;
  for (const i64 extent : extents) tile.push_back(extent);
  const Extents divided = partition_of(tile, dimensions);
  return {Index(divided.begin(), divided.end()), extents.size(), 0};
}

/// The steps of the table that are one longer than a step in a dimension of a tile: by bits of these dimensions.
/// @param whole dimensions that are cut into single indices
u64 longer_steps(int whole, const std::set<Index>& all, Index step) {
  u64 longer = 0;
  for (std::size_t d = static_cast<std::size_t>(whole), t = 0; d < step.size(); ++d, ++t) {
    ++step[d];
    if (all.contains(step)) longer |= u64{1} << t;
    --step[d];
  }
  return longer;
}

/// The bits of the dimensions before a slab's in which one more than the step is a step of the table.
Words cover_of(const TablePlan& plan, u64 longer) {
  Words cover{{0, 0}};
  for (std::size_t t = 0; t < plan.cut.first; ++t) {
    const PackedField& field = plan.steps.fields[t];
    const u64 mask = (u64{1} << bits_of(plan.table.extents[plan.table.cut.whole + static_cast<int>(t)])) - 1;
    if ((longer >> t & 1) != 0) cover.word[field.word] |= mask << field.shift;
  }
  return cover;
}

/// The steps that are one longer than an inner one and are inner ones, too.
std::vector<Words> longer_inner_steps(const TablePlan& plan, Index components, u64 longer) {
  std::vector<Words> packed;
  for (std::size_t t = plan.cut.first; t < components.size(); ++t) {
    if ((longer >> t & 1) == 0) continue;
    ++components[t];
    packed.push_back(plan.pack(components));
    --components[t];
  }
  return packed;
}

i64 mask_words(const TablePlan& plan) { return quotient_up(static_cast<i64>(plan.inner.size()), 32); }

/// The levels of slabs by which a step out of a slab leads back, at least.
i64 least_levels_back(const StepComponents& step, const TileCut& cut) {
  i64 levels = 0;
  for (std::size_t d = 0; d < cut.shape.size() && d <= cut.first; ++d) levels += step.components[d] / cut.shape[d];
  return std::max<i64>(1, levels);
}

/// Parts the steps into outer and inner ones, the outer ones by groups.
void sort_steps(TablePlan& plan, const std::vector<StepComponents>& components, bool in_ranges) {
  const std::size_t first = plan.cut.first, rank = plan.extents.size();
  const bool is_cut = first < rank && (plan.cut.shape[first] < plan.extents[first] || (first == 0 && in_ranges));
  // With many slabs a level none waits, and a cell's state would be kept for nothing.
  const bool waits = slabs_wait(plan.block_count, plan.block_levels);
  // Rows that are single cells lead to the rows before the tile from some cells of a slab, from others to the tile.
  const bool rows_are_cells = first == 0 && in_ranges;
  using Key = std::tuple<bool, bool, u64, u64>;
  std::map<Key, std::vector<DeviceStep>> groups;
  std::vector<std::pair<DeviceStep, std::vector<Words>>> inner;
  for (std::size_t number = 0; number < components.size(); ++number) {
    const StepEntry& entry = plan.steps.entries[number];
    const StepComponents& step = components[number];
    Index inside = step.components, before = step.components;
    std::fill_n(inside.begin(), first, 0);
    std::fill(before.begin() + static_cast<i64>(first), before.end(), 0);
    const Words group = plan.pack(inside);
    const DeviceStep made{{{entry.packed.word[0], entry.packed.word[1]}},
                          plan.pack(before),
                          cover_of(plan, step.longer),
                          entry.offset,
                          entry.rows,
                          entry.whole_cost,
                          entry.real_cost,
                          entry.source,
                          entry.number,
                          0};
    if (is_inner(step, plan.cut)) inner.emplace_back(made, longer_inner_steps(plan, step.components, step.longer));
    const bool leaves = step.leaves_tile || first == rank ||
                        std::any_of(before.begin(), before.end(), [](i64 component) { return component != 0; });
    const bool crosses = !leaves && is_cut && step.components[first] > 0;
    if (!leaves && !crosses) continue;
    const bool is_early =
        waits && !(crosses && rows_are_cells) && (step.leaves_tile || least_levels_back(step, plan.cut) > 1);
    groups[{!is_early, crosses, group.word[0], group.word[1]}].push_back(made);
  }
  std::stable_sort(inner.begin(), inner.end(),
                   [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  for (auto& [step, longer] : inner) {
    plan.inner.push_back(step);
    plan.longer.push_back(std::move(longer));
  }
  for (const auto& [key, steps] : groups) {
    const auto& [is_late, crosses, low, high] = key;
    plan.early_groups += is_late ? 0 : 1;
    for (DeviceStep step : steps) {
      step.group = static_cast<i32>(plan.groups.size());
      plan.outer.push_back(step);
    }
    plan.groups.push_back({{{low, high}}, crosses, 0});
    if (!(crosses && rows_are_cells)) plan.uniform_count = static_cast<i64>(plan.outer.size());
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
    places.bytes += device::aligned_bytes(static_cast<std::size_t>(number) * bytes);
    return at;
  };
  places.steps = add(static_cast<i64>(plan.outer.size() + plan.inner.size()), sizeof(DeviceStep));
  places.groups = add(static_cast<i64>(plan.groups.size()), sizeof(StepGroup));
  places.blocks = add(plan.block_count, sizeof(SubBlock));
  places.block_levels = add(plan.block_levels + 1, sizeof(u64));
  const i64 cells = product(plan.cut.shape);
  if (plan.table.schedule != Schedule::partitioned) {
    places.cells = add(cells, sizeof(Words));
    for (OrderPlaces* order : {&places.order, &places.needed_order}) {
      if (order == &places.needed_order && !plan.closed) break;
      order->cells = add(cells, sizeof(i32));
      order->masks = add(cells * mask_words(plan), sizeof(u32));
      order->levels = add(cells + 1, sizeof(i32));
    }
    return;
  }
  places.places = add(cells, sizeof(CellPlace));
  places.place_levels = add(plan.place_levels + 1, sizeof(i32));
  places.by_dimension = add(std::accumulate(plan.extents.begin(), plan.extents.end(), i64{0}), sizeof(i64));
  places.reorganised = add(plan.block_count * cells, size_of(plan.table.type));
}

/// The packed form of an index of one dimension of a tile.
Words packed_index(const TablePlan& plan, std::size_t d, i64 index) {
  Index all(plan.extents.size(), 0);
  all[d] = index;
  return plan.pack(all);
}

}  // namespace

FullTile::FullTile(const Table& table, const StepTable& steps) {
  const int whole = table.cut.whole;
  for (int d = whole; d < table.extents.rank(); ++d) extents.push_back(table.extents[d]);
  in_ranges = table.cut.rows < extents[0];
  extents[0] = std::min<i64>(extents[0], table.cut.rows);
  const std::set<Index> all = closed_steps(table, steps);
  closed = !all.empty();
  for (const StepEntry& entry : steps.entries) {
    const std::int64_t* first = table.steps.step(entry.number);
    const Index step(first, first + table.extents.rank());
    components.push_back(
        {Index(step.begin() + whole, step.end()), entry.source != 0, longer_steps(whole, all, step)});
  }
  const bool is_wide = size_of(table.type) == 8, keeps_state = table.combine == Combine::count;
  cell_bytes = (keeps_state || is_wide ? 16 : 8) + static_cast<i64>(size_of(table.type));
}

TablePlan::TablePlan(const Table& made) : table(made), steps(made) {
  const FullTile tile(table, steps);
  extents = tile.extents;
  closed = tile.closed;
  strides.assign(extents.size(), 1);
  for (std::size_t d = extents.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * extents[d];
  cut = table.schedule == Schedule::partitioned
            ? partitions_of(extents, table.partition_dimensions)
            : choose_cut(extents, tile.components, tile.in_ranges, tile.cell_bytes);
  std::tie(block_count, block_levels) = counted(counts_of(extents, cut.shape));
  sort_steps(*this, tile.components, tile.in_ranges);
  place_levels = counted(cut.shape).second;
  place_lists(*this);
}

Words TablePlan::pack(const Index& index) const {
  const Packed packed = steps.pack(index.data());
  return {{packed.word[0], packed.word[1]}};
}

TableLayout TablePlan::layout(const TableLists& lists, const unsigned char* workspace) const {
  const auto at = [&](std::size_t place) { return reinterpret_cast<const void*>(workspace + place); };
  TableLayout layout{};
  layout.steps = static_cast<const DeviceStep*>(at(places.steps));
  layout.groups = static_cast<const StepGroup*>(at(places.groups));
  layout.cells = static_cast<const Words*>(at(places.cells));
  const auto order_at = [&](const OrderPlaces& place, const SlabOrder& order) {
    return CellOrder{static_cast<const i32*>(at(place.cells)), static_cast<const u32*>(at(place.masks)),
                     static_cast<const i32*>(at(place.levels)), static_cast<i32>(order.levels.size()) - 1,
                     order.widest_level};
  };
  layout.order = order_at(places.order, lists.order);
  layout.needed_order = order_at(places.needed_order, lists.needed_order);
  layout.mask_words = static_cast<i32>(mask_words(*this));
  layout.blocks = static_cast<const SubBlock*>(at(places.blocks));
  layout.block_levels = static_cast<const u64*>(at(places.block_levels));
  layout.places = static_cast<const CellPlace*>(at(places.places));
  layout.place_levels = static_cast<const i32*>(at(places.place_levels));
  layout.block_level_count = static_cast<u64>(block_levels);
  layout.block_count = static_cast<u64>(block_count);
  layout.place_level_count = static_cast<i32>(place_levels);
  layout.slab_cells = static_cast<i32>(lists.cells.size());
  layout.step_count = static_cast<i32>(outer.size());
  layout.inner_count = static_cast<i32>(inner.size());
  layout.group_count = static_cast<i32>(groups.size());
  layout.early_group_count = static_cast<i32>(early_groups);
  layout.staged_count = static_cast<i32>(std::min<i64>(uniform_count, Sizes::most_staged));
  layout.guards = {{steps.guards.word[0], steps.guards.word[1]}};
  layout.row_word = steps.fields.front().word;
  layout.row_shift = steps.fields.front().shift;
  layout.row_mask = (u64{1} << bits_of(table.extents[table.cut.whole])) - 1;
  layout.row_cells = strides[0];
  layout.modulus = table.modulus;
  layout.cap = table.cap;
  layout.whole_cost = steps.whole_cost;
  layout.real_cost = steps.real_cost;
  return layout;
}

TableLists::TableLists(const TablePlan& plan) {
  const Index& shape = plan.cut.shape;
  std::vector<std::vector<SubBlock>> parts(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    for (i64 low = 0; low < plan.extents[d]; low += shape[d]) {
      const i64 end = std::min(low + shape[d], plan.extents[d]);
      parts[d].push_back(
          {packed_index(plan, d, low), packed_index(plan, d, end - 1), low * plan.strides[d], end - low});
    }
  }
  const auto join = [](const SubBlock& a, const SubBlock& b) {
    return SubBlock{a.low.plus(b.low), a.high.plus(b.high), a.offset + b.offset, a.cells * b.cells};
  };
  block_levels = sort_by_levels<u64>(parts, {{{0, 0}}, {{0, 0}}, 0, 1}, join, blocks);
  if (plan.table.schedule == Schedule::partitioned) {
    cut_partitions(plan);
  } else {
    cut_slabs(plan);
    order = order_cells(plan, false);
    if (plan.closed) needed_order = order_cells(plan, true);
  }
}

void TableLists::cut_slabs(const TablePlan& plan) {
  const Index& shape = plan.cut.shape;
  Index index(shape.size(), 0);
  for (i64 left = product(shape); left > 0; --left) {
    cells.push_back(plan.pack(index));
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

/// @param needed true: without inner steps beside which a longer one fits the slab
SlabOrder TableLists::order_cells(const TablePlan& plan, bool needed) const {
  const Words guards{{plan.steps.guards.word[0], plan.steps.guards.word[1]}};
  const auto words = static_cast<std::size_t>(mask_words(plan));
  std::vector<i32> level(cells.size(), 0), sizes{0};
  std::vector<u32> masks(cells.size() * words, 0);
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const auto fits = [&](const Words& step) { return cells[at].at_least(step, guards); };
    for (std::size_t number = 0; number < plan.inner.size(); ++number) {
      const DeviceStep& step = plan.inner[number];
      const std::vector<Words>& longer = plan.longer[number];
      if (!fits(step.packed) || (needed && std::any_of(longer.begin(), longer.end(), fits))) continue;
      masks[at * words + number / 32] |= u32{1} << number % 32;
      level[at] = std::max(level[at], level[at - static_cast<std::size_t>(step.offset)] + 1);
    }
    if (static_cast<std::size_t>(level[at]) >= sizes.size()) sizes.resize(static_cast<std::size_t>(level[at]) + 1, 0);
    ++sizes[static_cast<std::size_t>(level[at])];
  }
  SlabOrder order;
  order.widest_level = *std::max_element(sizes.begin(), sizes.end());
  order.levels.assign(1, 0);
  for (const i32 size : sizes) order.levels.push_back(order.levels.back() + size);
  std::vector<i32> next = order.levels;
  order.cells.resize(cells.size());
  order.masks.resize(masks.size());
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(level[at])]++);
    order.cells[place] = static_cast<i32>(at);
    for (std::size_t word = 0; word < words; ++word) order.masks[place * words + word] = masks[at * words + word];
  }
  return order;
}

/// Algorithm 5: a cell's block, and its offset in the block: its index modulo the block's size.
void TableLists::cut_partitions(const TablePlan& plan) {
  const Index& shape = plan.cut.shape;
  const i64 cells_of_block = product(shape);
  std::vector<std::vector<CellPlace>> indices(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    for (i64 index = 0; index < shape[d]; ++index) {
      indices[d].push_back({packed_index(plan, d, index), index * plan.strides[d]});
    }
  }
  const auto join = [](const CellPlace& a, const CellPlace& b) {
    return CellPlace{a.packed.plus(b.packed), a.offset + b.offset};
  };
  place_levels = sort_by_levels<i32>(indices, {{{0, 0}}, 0}, join, places);
  const Index counts = counts_of(plan.extents, shape);
  i64 block_stride = cells_of_block, stride = 1;
  std::vector<Index> parts(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    for (i64 c = 0; c < plan.extents[d]; ++c) {
      parts[d].push_back(c / shape[d] * block_stride + c % shape[d] * stride);
    }
    block_stride *= counts[d];
    stride *= shape[d];
  }
  for (const Index& of_dimension : parts) {
    by_dimension.insert(by_dimension.end(), of_dimension.begin(), of_dimension.end());
  }
}

}  // namespace terrace::dp_table
