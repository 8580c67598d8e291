#include "stages/wavefront/pairs/plain_pairs.hpp"

#include "kernels/launch/one_block.hpp"
#include "kernels/pairs/methods.hpp"
#include "stages/wavefront/pairs/task.hpp"

namespace terrace::stages {

std::vector<std::byte> read_item_bytes(const PairSide& side, std::int64_t begin, std::int64_t end) {
  const Box box{{side.items->begin(begin)}, {side.items->begin(end)}};
  std::vector<std::byte> elements(static_cast<std::size_t>(box.volume()) * size_of(side.source->type()));
  if (!box.empty()) side.source->read(box, elements.data());
  return elements;
}

PlainPairs::PlainPairs(const PairsDefinition& definition)
    : definition_(definition), cpu_(device::make_cpu_context()) {
  pairs::KeptSpec spec = definition_.spec;
  spec.best = 0;
  spec.limit = {};
  spec.counts = false;
  const auto* plain = device::find_method(pairs::pairs_methods(), device::Backend::cpu, "plain");
  kernel_ = pairs::make_kept(spec, plain->make(spec.pairs, *cpu_, nullptr), *cpu_);
}

PlainScores PlainPairs::compute(std::int64_t row, std::int64_t column_begin, std::int64_t column_end) const {
  const PairSides& sides = definition_.sides;
  const std::vector<std::byte> rows = read_item_bytes(sides.rows, row, row + 1),
                               columns = read_item_bytes(sides.columns, column_begin, column_end);
  const auto count = static_cast<std::size_t>(column_end - column_begin);
  PlainScores found{std::vector<std::byte>(count * size_of(definition_.spec.stored)), std::vector<pairs::End>(count)};
  pairs::KeptTask task{};
  task.pairs = pairs_task(sides, {row, row + 1, column_begin, column_end});
  task.pairs.rows = origin_of_items(rows.data(), sides.rows, row);
  task.pairs.columns = origin_of_items(columns.data(), sides.columns, column_begin);
  task.scores = found.scores.data();
  if (definition_.spec.pairs.ends) task.ends = found.ends.data();
  pairs::KeptResult result{};
  device::u64 abort = 0;
  device::compute_one(*kernel_, task, result, abort);
  return found;
}

}  // namespace terrace::stages
