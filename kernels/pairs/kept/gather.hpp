// The items of a list of pairs, brought together.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/pairs/kept.hpp"

namespace terrace::pairs {

/// Items that lie in several runs, copied to one place; those of a single run stay where they are.
class GatheredSide {
 public:
  /// @param element bytes of an element
  void gather(const std::vector<ItemRun>& runs, std::size_t element);
  /// The number of an item of the set among those that are gathered.
  i64 number_of(i64 item) const;

  const void* elements() const { return elements_; }
  const i64* begin() const { return begin_; }
  i64 items() const { return items_; }

 private:
  const std::vector<ItemRun>* runs_ = nullptr;
  std::vector<i64> before_;  // items in the runs before each
  std::vector<std::byte> copied_;
  std::vector<i64> copied_begin_;
  const void* elements_ = nullptr;
  const i64* begin_ = nullptr;
  i64 items_ = 0;
};

/// The list as the task of a kernel.
class GatheredPairs {
 public:
  /// @param element bytes of an element @return the task, whose scores and ends are not set; valid until the next
  /// call
  PairsTask gather(const ListedPairs& listed, std::size_t element);

 private:
  GatheredSide rows_, columns_;
  std::vector<Pair> pairs_;
};

}  // namespace terrace::pairs
