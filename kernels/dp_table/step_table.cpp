#include "kernels/dp_table/step_table.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>

#include "kernels/dp_table/measured.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::dp_table {

StepTable::StepTable(const Table& table) : whole(table.cut.whole), sources(sources_of(table)) {
  const Extents& extents = table.extents;
  const int rank = extents.rank();
  // Wide fields first: narrow ones fill what is left of a word.
  std::vector<int> order(static_cast<std::size_t>(rank - whole));
  std::iota(order.begin(), order.end(), whole);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return extents[a] > extents[b]; });
  fields.resize(order.size());
  int used[2] = {0, 0};
  for (const int d : order) {
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extents[d] - 1))) + 1;
    const int word = used[0] + bits <= 64 ? 0 : 1;
    if (used[word] + bits > 64) throw Error("the indices of a table's cell need more than two words");
    fields[static_cast<std::size_t>(d - whole)] = {word, used[word]};
    used[word] += bits;
    guards.word[word] |= u64{1} << (used[word] - 1);
  }
  std::map<std::vector<std::int64_t>, int> numbers;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    numbers[sources[source].prefix] = static_cast<int>(source);
  }
  const Extents strides = row_major_strides(extents);
  for (std::int64_t number = 0; number < table.steps.count(); ++number) {
    const std::int64_t* step = table.steps.step(number);
    StepEntry entry{};
    bool fits = true;
    for (int d = 0; d < rank; ++d) {
      fits = fits && step[d] < extents[d];
      if (d >= whole) entry.offset += step[d] * strides[d];
    }
    if (!fits) continue;
    entry.packed = pack(step + whole);
    entry.rows = step[whole];
    entry.source = numbers.at(std::vector<std::int64_t>(step, step + whole));
    entry.number = static_cast<std::int32_t>(number);
    if (table.steps.has_whole_costs()) entry.whole_cost = table.steps.whole_costs[static_cast<std::size_t>(number)];
    entry.real_cost = table.steps.real_costs[static_cast<std::size_t>(number)];
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const StepEntry& a, const StepEntry& b) {
    return std::tuple(a.source, a.offset, a.number) < std::tuple(b.source, b.offset, b.number);
  });
  if (!entries.empty()) whole_cost = entries[0].whole_cost, real_cost = entries[0].real_cost;
  one_cost = std::all_of(entries.begin(), entries.end(), [&](const StepEntry& entry) {
    return entry.whole_cost == whole_cost && entry.real_cost == real_cost;
  });
  for (std::size_t source = 0, at = 0; source <= sources.size(); ++source) {
    while (at < entries.size() && entries[at].source < static_cast<int>(source)) ++at;
    begin.push_back(static_cast<std::int64_t>(at));
  }
}

std::set<std::vector<i64>> closed_steps(const Table& table, const StepTable& steps) {
  using Vector = std::vector<i64>;
  const std::vector<StepEntry>& entries = steps.entries;
  const bool grows =
      table.combine == Combine::any || (table.combine == Combine::min && steps.one_cost && steps.real_cost >= 0);
  if (!grows || entries.size() > measured::most_closed_steps) return {};
  const auto vector_of = [&](const StepEntry& entry) {
    const std::int64_t* step = table.steps.step(entry.number);
    return Vector(step, step + table.steps.dimensions);
  };
  std::set<Vector> all;
  for (const StepEntry& entry : entries) all.insert(vector_of(entry));
  for (Vector less : all) {
    const i64 sum = std::accumulate(less.begin(), less.end(), i64{0});
    for (i64& component : less) {
      if (component == 0 || sum == 1) continue;
      --component;
      if (!all.contains(less)) return {};
      ++component;
    }
  }
  return all;
}

}  // namespace terrace::dp_table
