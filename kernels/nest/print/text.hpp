// Pieces of source that all of a nest is printed from.
#pragma once

#include <string>
#include <vector>

#include "kernels/nest/nest.hpp"

namespace terrace::nest {

/// An end of a range that does not bind.
inline constexpr i64 unbounded = i64{1} << 60;

/// A number as an operand.
std::string number(i64 value);

/// A constant + a sum of multiples of coordinates.
struct Linear {
  i64 constant = 0;
  std::vector<i64> multiples;

  /// @param last false: without the last coordinate
  std::string in_source(bool last) const;
  /// The least value over coordinates from `low` to `high`, or the largest one.
  std::string extreme(bool largest) const;
};

/// A function of a number: "name(int n)" is the n-th of values.
std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& values);

/// "y[0] >= 1 && y[1] < 5", without what holds in a box; "true" if all of it does.
std::string in_box(const Ranges& box, const Ranges& within);

}  // namespace terrace::nest
