#include "kernels/dp_table/step_table.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>

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
  for (std::size_t source = 0, at = 0; source <= sources.size(); ++source) {
    while (at < entries.size() && entries[at].source < static_cast<int>(source)) ++at;
    begin.push_back(static_cast<std::int64_t>(at));
  }
}

}  // namespace terrace::dp_table
