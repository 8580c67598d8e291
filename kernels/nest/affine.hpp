// Expressions that are sums of multiples of loops: subscripts, and the bounds of loops.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/formula/syntax.hpp"
#include "kernels/nest/nest.hpp"

namespace terrace::nest {

/// constant + sum of multiples[n] * loop n.
struct Affine {
  i64 constant = 0;
  std::vector<i64> multiples;

  /// The only loop, taken once; -1: no loop; nullopt: anything else.
  std::optional<int> loop() const;
};

/// The names that such an expression may have.
struct AffineNames {
  const std::vector<std::string>& loops;
  /// The value of a whole parameter or of a call of size; nullopt: it is none. @throws Fault
  std::function<std::optional<i64>(const formula::Syntax&)> value;
};

/// The expression, or nullopt if it is no such sum. @throws formula::Fault if a number leaves i64, or a divisor is 0
std::optional<Affine> affine_of(const formula::Syntax& syntax, const AffineNames& names);

}  // namespace terrace::nest
