// Sets of sequences or series: their items lie one after another in a one-dimensional array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/node_names.hpp"

namespace terrace::io {

/// Begins and ends of the items of a set in its array, and their names, which are unique.
class ItemSet {
 public:
  /// @param begin the first element of each item, and the end of the last one: ascending, from 0
  /// @param names as many as items
  ItemSet(std::vector<std::int64_t> begin, NodeNames names);

  std::int64_t count() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
  /// Elements before item `item`; of all for item count().
  std::int64_t begin(std::int64_t item) const { return begin_[static_cast<std::size_t>(item)]; }
  std::int64_t length(std::int64_t item) const { return begin(item + 1) - begin(item); }
  /// The item that has the element. @param element below begin(count())
  std::int64_t item_of(std::int64_t element) const;
  const std::vector<std::int64_t>& begins() const { return begin_; }
  const NodeNames& names() const { return names_; }
  /// Bytes of memory, about.
  std::size_t memory() const;
  /// Checksum of lengths and names.
  std::uint64_t content() const;

 private:
  std::vector<std::int64_t> begin_;
  NodeNames names_;
};

/// Makes names unique: a name that was there before gets "#2", the next one "#3", past names that are taken.
/// @param warn is told once of names that were changed; null: nobody is @param what has them: "a.fa"
void make_unique(std::vector<std::string>& names, const std::function<void(const std::string&)>& warn,
                 const std::string& what);

}  // namespace terrace::io
