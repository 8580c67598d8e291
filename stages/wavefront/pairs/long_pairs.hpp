// The pairs of a step that have an item too long for lanes: each is swept by itself (kernels/pairs/sweeps.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/item_set.hpp"
#include "stages/wavefront/pairs/entries.hpp"

namespace terrace::stages {

/// Such pairs, numbered from 0 in the order of the step's entries; those of a matrix are row-major.
class LongPairs {
 public:
  /// No pair.
  LongPairs() = default;
  /// @param most elements of the items that lanes take
  LongPairs(std::shared_ptr<const io::ItemSet> rows, std::shared_ptr<const io::ItemSet> columns, Entries entries,
            std::int64_t most);

  std::int64_t count() const { return count_; }
  /// The number of long pairs before an entry. @param entry up to the number of entries
  std::int64_t before(std::int64_t entry) const;
  ItemPair pair(std::int64_t number) const;
  /// The entry of a long pair.
  std::int64_t entry(std::int64_t number) const;
  /// The most long pairs of any range of so many entries that begins at a multiple of them.
  std::int64_t most_of_range(std::int64_t entries) const;
  /// The same of any rectangle of a matrix, about, and never fewer.
  std::int64_t most_of_rectangle(std::int64_t rows, std::int64_t columns) const;
  /// Bytes of memory that it keeps.
  std::size_t memory() const;

 private:
  bool is_list() const { return entries_.kind() == Entries::Kind::same || entries_.kind() == Entries::Kind::given; }
  bool is_long_row(std::int64_t row) const { return rows_->length(row) > most_; }
  /// The first column of a row's pairs.
  std::int64_t first_column(std::int64_t row) const { return entries_.kind() == Entries::Kind::upper ? row + 1 : 0; }
  /// Long items of the columns before an item.
  std::int64_t columns_before(std::int64_t column) const;
  void count_rows();
  void list_entries();

  std::shared_ptr<const io::ItemSet> rows_, columns_;
  Entries entries_;
  std::int64_t most_ = 0, count_ = 0;
  std::vector<std::int64_t> long_columns_;  // items, ascending; not of lists
  std::vector<std::int64_t> before_row_;    // long pairs before each row, and all; not of lists
  std::vector<std::int64_t> listed_;        // of lists: their entries, ascending
};

}  // namespace terrace::stages
