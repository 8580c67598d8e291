// The order in which a table takes passes and goes back through them, for the scratch space that there is.
#pragma once

#include <cstdint>

namespace terrace::stages {

/// The division of passes for the way back. Passes come in groups. The groups are divided into `parts` parts, these
/// again, on so many levels, down to leaves of so many groups: bits of one leaf are stored at a time. A level stores
/// the elements where its parts begin, and takes the passes of a part anew to go back through it.
struct WaySizes {
  std::int64_t levels = 0;  // 0: bits of all passes are stored, and none is taken anew
  std::int64_t parts = 2;   // at least 2
  std::int64_t leaf = 0;    // groups; of no levels all of them

  friend bool operator==(const WaySizes&, const WaySizes&) = default;
};

enum class WayWork {
  passes,   // a group of passes
  save,     // stores the elements as they are before a group
  restore,  // makes the elements that were stored, or those before the first group
  walk,     // goes back through a group
};

struct WayStep {
  WayWork work;
  std::int64_t group;
  std::int64_t generation;  // of the elements before the step: one more than how often they were made
  bool keeps_bits;          // of `passes`: the way goes back through it next
  bool is_last;             // of `restore`: what was stored is not needed again
};

class BoundedWay {
 public:
  /// @param groups of passes, in all
  BoundedWay(std::int64_t groups, WaySizes sizes);

  const WaySizes& sizes() const { return sizes_; }
  /// The number of steps, after the elements have been made for the first time.
  std::int64_t steps() const { return count(groups_, 0).steps; }
  /// The number of steps before the first one that goes back: then all passes were taken.
  std::int64_t steps_before_walk() const;
  WayStep step(std::int64_t number) const;
  /// Leaves, which number the groups before which elements are stored.
  std::int64_t leaves() const;
  std::int64_t leaf_of(std::int64_t group) const { return group / sizes_.leaf; }
  /// The most stored copies of all elements at a time.
  std::int64_t most_saved() const;

 private:
  struct Count {
    std::int64_t steps, made;  // steps, and those that make the elements anew
  };
  /// A division of some groups: the last part may be smaller.
  struct Division {
    std::int64_t part, parts, last;
  };

  bool is_leaf(std::int64_t groups, int level) const { return level == sizes_.levels || groups <= sizes_.leaf; }
  Division division(std::int64_t groups, int level) const;
  /// Steps up to the beginning of the last part.
  std::int64_t forward_steps(const Division& division) const;
  Count count(std::int64_t groups, int level) const;

  std::int64_t groups_;
  WaySizes sizes_;
};

}  // namespace terrace::stages
