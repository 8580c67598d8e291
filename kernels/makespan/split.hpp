// Splitting jobs between two machines as evenly as possible.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/makespan/jobs.hpp"

namespace terrace::makespan {

/// The complete Karmarkar-Karp search (Korf, "A complete anytime algorithm for number partitioning", 1998): the two
/// largest numbers are replaced by their difference, which puts them on different sides, or else by their sum.
class EvenSplit {
 public:
  /// Searches until a difference of at most `goal` is found, and through at most `most_nodes`.
  /// @return the least difference of the two sides' sums that was found
  i64 search(const std::vector<i64>& numbers, i64 goal, i64 most_nodes);

  /// The side of each number, 0 or 1, of the best split that search() found.
  std::vector<std::uint8_t> sides() const;

 private:
  struct Part {
    i64 value;
    i32 node;  // a number, or after the numbers a joint
  };
  /// Two parts made one.
  struct Joint {
    i32 first, second;
    bool apart;  // else they are on the same side
  };

  void visit(std::vector<Part>& parts);
  void join_all(const std::vector<Part>& parts, i64 rest);
  i32 joint(i32 first, i32 second, bool apart);

  i64 goal_ = 0, left_ = 0, best_ = 0;
  i32 count_ = 0;
  std::vector<Joint> joints_, best_joints_;
};

}  // namespace terrace::makespan
