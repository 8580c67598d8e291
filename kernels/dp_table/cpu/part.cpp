#include "kernels/dp_table/cpu/part.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace terrace::dp_table {

LineTable::LineTable(const Table& table) : steps(table), modulus(table.modulus), cap(table.cap) {
  for (int d = table.cut.whole; d < table.extents.rank(); ++d) extents.push_back(table.extents[d]);
  const bool single = extents.size() == 1;
  if (single) extents.push_back(1);
  strides.assign(extents.size(), 1);
  for (std::size_t d = extents.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * extents[d];
  const PackedField field = single ? PackedField{} : steps.fields.back();
  for (const StepEntry& entry : steps.entries) {
    LineStep step{0, entry.number, entry.whole_cost, entry.real_cost};
    Packed packed = entry.packed;
    if (!single) {
      const auto bits = static_cast<int>(std::bit_width(static_cast<u64>(extents.back() - 1)));
      const u64 low = bits == 0 ? 0 : ((u64{1} << bits) - 1);
      step.along = static_cast<i64>((packed.word[field.word] >> field.shift) & low);
      packed.word[field.word] &= ~(low << field.shift);
    }
    const i64 offset = entry.offset - step.along;
    LineGroup* last = groups.empty() ? nullptr : &groups.back();
    const auto at = static_cast<i32>(line_steps.size());
    if (last == nullptr || last->source != entry.source || last->offset != offset) {
      groups.push_back({packed, offset, entry.rows, entry.source, at, at});
    }
    line_steps.push_back(step);
    groups.back().end = at + 1;
  }
  find_covers(table, single);
  const auto own = std::find_if(groups.begin(), groups.end(),
                                [](const LineGroup& group) { return group.source == 0 && group.offset == 0; });
  if (own != groups.end()) {
    same = *own;
    groups.erase(own);
  }
  by_number.resize(steps.entries.size());
  std::iota(by_number.begin(), by_number.end(), 0);
  std::sort(by_number.begin(), by_number.end(), [&](i32 a, i32 b) {
    return steps.entries[static_cast<std::size_t>(a)].number < steps.entries[static_cast<std::size_t>(b)].number;
  });
}

/// Finds the groups without which others do: they have one more in a dimension before the last, and as long steps
/// along the line.
void LineTable::find_covers(const Table& table, bool single) {
  const std::set<std::vector<i64>> all = closed_steps(table, steps);
  closed = !all.empty() && !single;
  if (!closed) return;
  for (LineGroup& group : groups) {
    const i32 longest = line_steps[static_cast<std::size_t>(group.end - 1)].number;
    const std::int64_t* step = table.steps.step(longest);
    std::vector<i64> more(step, step + table.steps.dimensions);
    for (int d = steps.whole; d + 1 < table.steps.dimensions; ++d) {
      i64& component = more[static_cast<std::size_t>(d)];
      ++component;
      if (all.contains(more)) {
        std::vector<i64> index(more.begin() + steps.whole, more.end());
        index.back() = 0;
        group.covers.push_back(steps.pack(index.data()));
      }
      --component;
    }
  }
}

}  // namespace terrace::dp_table
