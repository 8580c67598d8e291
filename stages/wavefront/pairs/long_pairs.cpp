#include "stages/wavefront/pairs/long_pairs.hpp"

#include <algorithm>
#include <utility>

namespace terrace::stages {
namespace {

/// The most items of any group of so many that are longer than `most`.
std::int64_t most_long(const io::ItemSet& items, std::int64_t most, std::int64_t together) {
  std::int64_t largest = 0;
  for (std::int64_t first = 0; first < items.count(); first += together) {
    std::int64_t found = 0;
    for (std::int64_t item = first; item < std::min(items.count(), first + together); ++item) {
      found += items.length(item) > most ? 1 : 0;
    }
    largest = std::max(largest, found);
  }
  return largest;
}

}  // namespace

LongPairs::LongPairs(std::shared_ptr<const io::ItemSet> rows, std::shared_ptr<const io::ItemSet> columns,
                     Entries entries, std::int64_t most)
    : rows_(std::move(rows)), columns_(std::move(columns)), entries_(std::move(entries)), most_(most) {
  if (is_list()) list_entries();
  else count_rows();
}

void LongPairs::list_entries() {
  for (std::int64_t entry = 0; entry < entries_.count(); ++entry) {
    const auto [row, column] = entries_.pair(entry);
    if (is_long_row(row) || columns_->length(column) > most_) listed_.push_back(entry);
  }
  count_ = std::ssize(listed_);
}

void LongPairs::count_rows() {
  for (std::int64_t column = 0; column < columns_->count(); ++column) {
    if (columns_->length(column) > most_) long_columns_.push_back(column);
  }
  before_row_.push_back(0);
  for (std::int64_t row = 0; row < rows_->count(); ++row) {
    const std::int64_t first = first_column(row);
    count_ += is_long_row(row) ? columns_->count() - first : std::ssize(long_columns_) - columns_before(first);
    before_row_.push_back(count_);
  }
}

std::int64_t LongPairs::columns_before(std::int64_t column) const {
  return std::lower_bound(long_columns_.begin(), long_columns_.end(), column) - long_columns_.begin();
}

std::int64_t LongPairs::before(std::int64_t entry) const {
  if (count_ == 0 || entry >= entries_.count()) return count_;
  if (is_list()) return std::lower_bound(listed_.begin(), listed_.end(), entry) - listed_.begin();
  const auto [row, column] = entries_.pair(entry);
  const std::int64_t first = first_column(row), before = before_row_[static_cast<std::size_t>(row)];
  return before + (is_long_row(row) ? column - first : columns_before(column) - columns_before(first));
}

ItemPair LongPairs::pair(std::int64_t number) const {
  if (is_list()) return entries_.pair(listed_[static_cast<std::size_t>(number)]);
  const std::int64_t row = std::upper_bound(before_row_.begin(), before_row_.end(), number) - before_row_.begin() - 1;
  const std::int64_t first = first_column(row), of_row = number - before_row_[static_cast<std::size_t>(row)];
  if (is_long_row(row)) return {row, first + of_row};
  return {row, long_columns_[static_cast<std::size_t>(columns_before(first) + of_row)]};
}

std::int64_t LongPairs::entry(std::int64_t number) const {
  if (is_list()) return listed_[static_cast<std::size_t>(number)];
  const auto [row, column] = pair(number);
  return entries_.first_of_row(row) + column - first_column(row);
}

std::int64_t LongPairs::most_of_range(std::int64_t entries) const {
  constexpr std::int64_t most_ranges = 1 << 20;  // that are looked at
  if (entries_.count() / entries > most_ranges) return std::min(entries, count_);
  std::int64_t largest = 0;
  for (std::int64_t first = 0; count_ > 0 && first < entries_.count(); first += entries) {
    largest = std::max(largest, before(std::min(entries_.count(), first + entries)) - before(first));
  }
  return largest;
}

std::int64_t LongPairs::most_of_rectangle(std::int64_t rows, std::int64_t columns) const {
  if (count_ == 0) return 0;
  return std::min(rows * columns,
                  most_long(*rows_, most_, rows) * columns + rows * most_long(*columns_, most_, columns));
}

std::size_t LongPairs::memory() const {
  return (long_columns_.size() + before_row_.size() + listed_.size()) * sizeof(std::int64_t);
}

}  // namespace terrace::stages
