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
  /// @param names as many as items @param repeated names that several items had before they were made unique
  ItemSet(std::vector<std::int64_t> begin, NodeNames names, std::vector<std::string> repeated = {});

  std::int64_t count() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
  /// Elements before item `item`; of all for item count().
  std::int64_t begin(std::int64_t item) const { return begin_[static_cast<std::size_t>(item)]; }
  std::int64_t length(std::int64_t item) const { return begin(item + 1) - begin(item); }
  /// The item that has the element. @param element below begin(count())
  std::int64_t item_of(std::int64_t element) const;
  const std::vector<std::int64_t>& begins() const { return begin_; }
  const NodeNames& names() const { return names_; }
  /// The name of an item for people: "'chr1'", "item 3".
  std::string item_name(std::int64_t item) const;
  /// True if several items had that name, and one of them has it still: it says no item.
  bool is_repeated(const std::string& name) const;
  /// Bytes of memory, about.
  std::size_t memory() const;
  /// Checksum of lengths and names.
  std::uint64_t content() const;

 private:
  std::vector<std::int64_t> begin_;
  NodeNames names_;
  std::vector<std::string> repeated_;  // ascending
};

/// Makes names unique: a name that was there before gets "#2", the next one "#3", past names that are taken. Items
/// without a name are called by their index.
/// @param warn is told of names that were changed; null: nobody is @param what has them: "a.fa"
/// @param place_of finds the place of an item: "a.fa:7"
/// @return names that were there several times, ascending
std::vector<std::string> make_unique(std::vector<std::string>& names,
                                     const std::function<void(const std::string&)>& warn, const std::string& what,
                                     const std::function<std::string(std::size_t item)>& place_of);

}  // namespace terrace::io
