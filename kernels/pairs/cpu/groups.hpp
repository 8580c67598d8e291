// Pairs dealt to the lanes of vectors, so that those of a vector are about as long.
#pragma once

#include <vector>

#include "kernels/pairs/task.hpp"

namespace terrace::pairs {

/// Pairs [begin, begin + count) of an order, one in each lane.
struct Group {
  i64 begin, count;
  bool shared;  // all have the same item of the rows
};

struct Groups {
  std::vector<i64> order;     // numbers of pairs
  std::vector<Group> groups;  // the longest first
};

/// The groups of all pairs of a block.
/// @param shared true if vectors whose pairs have the same item of the rows are faster
Groups groups_of(const PairsTask& task, i64 lanes, bool shared);

/// The same of some pairs, whose order is theirs no more.
Groups groups_of(const PairsTask& task, std::vector<i64> numbers, i64 lanes, bool shared);

}  // namespace terrace::pairs
