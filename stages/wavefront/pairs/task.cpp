#include "stages/wavefront/pairs/task.hpp"

namespace terrace::stages {

const pairs::i64* begins_of_items(const PairSide& side, std::int64_t first) {
  static_assert(sizeof(pairs::i64) == sizeof(std::int64_t));
  return reinterpret_cast<const pairs::i64*>(side.items->begins().data() + first);
}

const void* origin_of_items(const void* data, const PairSide& side, std::int64_t first) {
  const auto before = static_cast<std::uintptr_t>(side.items->begin(first)) * size_of(side.source->type());
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(data) - before);
}

pairs::PairsTask pairs_task(const PairSides& sides, const PairsBlock& block) {
  pairs::PairsTask task{};
  task.row_begin = begins_of_items(sides.rows, block.row_begin);
  task.column_begin = begins_of_items(sides.columns, block.column_begin);
  task.row_items = block.row_end - block.row_begin;
  task.column_items = block.column_end - block.column_begin;
  task.count = task.row_items * task.column_items;
  return task;
}

Extents shape_of_pairs(const PairSides& sides, std::int64_t rows, std::int64_t columns, std::int64_t values) {
  return box_of_pairs(sides, {0, rows, 0, columns}, values).end;
}

Extents shape_of_entries(std::int64_t entries, std::int64_t values) {
  return values > 1 ? Extents{entries, values} : Extents{entries};
}

Extents shape_of_hits(const PairSides& sides, std::int64_t rows, std::int64_t best) {
  return sides.rows.single ? Extents{best} : Extents{rows, best};
}

Box box_of_pairs(const PairSides& sides, const PairsBlock& block, std::int64_t values) {
  Box box;
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    box.begin.push_back(begin);
    box.end.push_back(end);
  };
  if (!sides.rows.single) add(block.row_begin, block.row_end);
  if (!sides.columns.single) add(block.column_begin, block.column_end);
  if (values > 1) add(0, values);
  return box;
}

}  // namespace terrace::stages
