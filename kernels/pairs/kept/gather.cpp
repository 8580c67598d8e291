#include "kernels/pairs/kept/gather.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace terrace::pairs {

void GatheredSide::gather(const std::vector<ItemRun>& runs, std::size_t element) {
  runs_ = &runs;
  before_.clear();
  items_ = 0;
  for (const ItemRun& run : runs) {
    before_.push_back(items_);
    items_ += run.count;
  }
  if (runs.size() == 1) {
    // Kernels count elements from where item 0 of the set would begin.
    const ItemRun& run = runs.front();
    begin_ = run.begin;
    elements_ = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(run.elements) -
                                              static_cast<std::uintptr_t>(run.begin[0]) * element);
    return;
  }
  copied_.clear();
  copied_begin_.assign(1, 0);
  for (const ItemRun& run : runs) {
    const auto bytes = static_cast<std::size_t>(run.begin[run.count] - run.begin[0]) * element;
    const auto* from = static_cast<const std::byte*>(run.elements);
    if (bytes > 0) copied_.insert(copied_.end(), from, from + bytes);
    for (i64 item = 0; item < run.count; ++item) {
      copied_begin_.push_back(copied_begin_.back() + run.begin[item + 1] - run.begin[item]);
    }
  }
  begin_ = copied_begin_.data();
  elements_ = copied_.data();
}

i64 GatheredSide::number_of(i64 item) const {
  const auto behind = std::upper_bound(runs_->begin(), runs_->end(), item,
                                       [](i64 wanted, const ItemRun& run) { return wanted < run.first; });
  const auto run = behind - runs_->begin() - 1;
  return before_[static_cast<std::size_t>(run)] + item - (*runs_)[static_cast<std::size_t>(run)].first;
}

PairsTask GatheredPairs::gather(const ListedPairs& listed, std::size_t element) {
  rows_.gather(listed.rows, element);
  columns_.gather(listed.columns, element);
  pairs_.clear();
  for (const auto& [row, column] : listed.pairs) {
    pairs_.push_back({static_cast<i32>(rows_.number_of(row)), static_cast<i32>(columns_.number_of(column))});
  }
  PairsTask task{};
  task.rows = rows_.elements();
  task.row_begin = rows_.begin();
  task.row_items = rows_.items();
  task.columns = columns_.elements();
  task.column_begin = columns_.begin();
  task.column_items = columns_.items();
  task.pairs = pairs_.data();
  task.count = static_cast<i64>(pairs_.size());
  return task;
}

}  // namespace terrace::pairs
