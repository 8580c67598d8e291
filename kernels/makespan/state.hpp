// The state of a search as an array that its rounds read and write.
#pragma once

#include <span>

#include "kernels/makespan/search.hpp"

namespace terrace::makespan {

/// An array of i32: the numbers of the state, two words each; the machine of each job in the best schedule; of each
/// open position two numbers and the machine of each job. Words after the last open position are 0.
struct StateLayout {
  i64 jobs = 0;
  i64 positions = 1;  // the most that are open

  static constexpr i64 first_machine = 14;

  i64 position_words() const { return 4 + jobs; }
  i64 words() const { return first_machine + jobs + positions * position_words(); }

  void pack(const SearchState& state, std::span<i32> words) const;
  SearchState unpack(std::span<const i32> words) const;
};

}  // namespace terrace::makespan
