#include "kernels/dp_table/cpu/part.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "kernels/dp_table/measured.hpp"

namespace terrace::dp_table {
namespace {

using Index = std::vector<i64>;
using Sizes = measured::CpuParts;

/// A step with its components of the dimensions from the one that is cut into rows on.
struct PlacedStep {
  const StepEntry* entry;
  Index components;
  int differs;  // the first dimension in which it leads to another index; -1: to another tile
};

class RunMaker {
 public:
  RunMaker(const Table& table, const PartTable& part, const std::vector<PlacedStep>& steps,
           const std::set<Index>& closed)
      : table_(table), part_(part), steps_(steps), closed_(closed) {}

  i64 cells(int dimension) const { return at(part_.extents, dimension) * at(part_.strides, dimension); }

  /// Bytes of the masks of a dimension's runs.
  i64 mask_bytes(int dimension) const {
    std::set<Index> different;
    for (const PlacedStep& step : steps_) {
      if (step.differs < dimension && is_masked(step, dimension)) different.insert(after(step, dimension));
    }
    return std::ssize(different) * cells(dimension) * static_cast<i64>(size_of(table_.type));
  }

  RunTable make(int dimension) const {
    RunTable runs{cells(dimension), {}, 0, {}};
    std::map<Index, i64> masks;
    for (const PlacedStep& step : steps_) {
      if (step.differs >= dimension) continue;
      if (step.differs < dimension - 1) runs.inner = runs.steps.size() + 1;
      runs.steps.push_back(run_step(step, dimension));
      if (!is_masked(step, dimension)) continue;
      const auto [place, is_new] = masks.try_emplace(after(step, dimension), std::ssize(runs.masks));
      if (is_new) add_mask(place->first, dimension, runs);
      runs.steps.back().mask = place->second;
    }
    return runs;
  }

 private:
  static i64 at(const Index& index, int d) { return index[static_cast<std::size_t>(d)]; }
  int dimensions() const { return static_cast<int>(part_.extents.size()); }
  static Index after(const PlacedStep& step, int dimension) {
    return {step.components.begin() + dimension + 1, step.components.end()};
  }
  static bool is_masked(const PlacedStep& step, int dimension) {
    return std::any_of(step.components.begin() + dimension + 1, step.components.end(), [](i64 c) { return c > 0; });
  }

  RunStep run_step(const PlacedStep& step, int dimension) const {
    const StepEntry& entry = *step.entry;
    RunStep made{{},           {},           entry.offset,     entry.rows,     0, cells(dimension), -1,
                 entry.source, entry.number, entry.whole_cost, entry.real_cost};
    Index before = step.components;
    std::fill(before.begin() + dimension, before.end(), 0);
    made.packed = part_.steps.pack(before.data());
    for (int d = dimension; d < dimensions(); ++d) made.first += at(step.components, d) * at(part_.strides, d);
    for (int d = 0; d < dimension; ++d) {
      if (is_needless_before(entry, d)) add_bits(made.cover, d);
    }
    if (is_needless_before(entry, dimension)) {
      made.last = (at(step.components, dimension) + 1) * at(part_.strides, dimension);
    }
    return made;
  }

  /// True if one more in that dimension is a step, too, without which this one is not needed.
  bool is_needless_before(const StepEntry& entry, int d) const {
    const int of_table = part_.steps.whole + d;
    if (closed_.empty() || of_table >= table_.steps.dimensions) return false;
    const std::int64_t* step = table_.steps.step(entry.number);
    Index more(step, step + table_.steps.dimensions);
    ++more[static_cast<std::size_t>(of_table)];
    return closed_.contains(more);
  }
  void add_bits(Packed& packed, int d) const {
    const PackedField& field = part_.steps.fields[static_cast<std::size_t>(d)];
    const int bits = static_cast<int>(std::bit_width(static_cast<u64>(at(part_.extents, d) - 1)));
    packed.word[field.word] |= ((u64{1} << bits) - 1) << field.shift;
  }

  /// @param components of the dimensions after the run's
  void add_mask(const Index& components, int dimension, RunTable& runs) const {
    const std::size_t element = size_of(table_.type);
    for (i64 cell = 0; cell < runs.cells; ++cell) {
      bool fits = true;
      for (int d = dimension + 1; d < dimensions(); ++d) {
        const i64 index = cell / at(part_.strides, d) % at(part_.extents, d);
        fits = fits && index >= at(components, d - dimension - 1);
      }
      runs.masks.insert(runs.masks.end(), element, fits ? 0x00 : 0xFF);
    }
  }

  const Table& table_;
  const PartTable& part_;
  const std::vector<PlacedStep>& steps_;
  const std::set<Index>& closed_;
};

/// The steps by the first dimension in which they lead to another index.
std::vector<PlacedStep> placed_steps(const Table& table, const PartTable& part) {
  std::vector<PlacedStep> placed;
  for (const StepEntry& entry : part.steps.entries) {
    const std::int64_t* step = table.steps.step(entry.number);
    Index components(step + part.steps.whole, step + table.steps.dimensions);
    components.resize(part.extents.size(), 0);
    const auto first = std::find_if(components.begin(), components.end(), [](i64 each) { return each > 0; });
    const int differs = entry.source != 0 ? -1 : static_cast<int>(first - components.begin());
    placed.push_back({&entry, std::move(components), differs});
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.differs < b.differs; });
  return placed;
}

}  // namespace

PartTable::PartTable(const Table& table) : steps(table), modulus(table.modulus), cap(table.cap) {
  for (int d = table.cut.whole; d < table.extents.rank(); ++d) extents.push_back(table.extents[d]);
  if (extents.size() == 1) extents.push_back(1);
  strides.assign(extents.size(), 1);
  for (std::size_t d = extents.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * extents[d];

  const std::set<Index> all = closed_steps(table, steps);
  closed = !all.empty();
  const std::vector<PlacedStep> placed = placed_steps(table, *this);
  const RunMaker maker(table, *this, placed, all);
  const int last = static_cast<int>(extents.size()) - 1;
  i64 masks = 0;
  for (first = last; first > 1; --first) {
    masks += maker.mask_bytes(first - 1);
    if (maker.cells(first - 1) > Sizes::most_run_cells || masks > Sizes::most_mask_bytes) break;
  }
  for (int d = first; d <= last; ++d) runs.push_back(maker.make(d));
  for (const PlacedStep& step : placed) {
    if (step.differs != last) continue;
    line.push_back({step.components.back(), step.entry->number, step.entry->whole_cost, step.entry->real_cost});
  }
  by_number.resize(steps.entries.size());
  std::iota(by_number.begin(), by_number.end(), 0);
  std::sort(by_number.begin(), by_number.end(), [&](i32 a, i32 b) {
    return steps.entries[static_cast<std::size_t>(a)].number < steps.entries[static_cast<std::size_t>(b)].number;
  });
}

}  // namespace terrace::dp_table
