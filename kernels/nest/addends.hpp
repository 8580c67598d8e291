// Formulas with fewer operations of the same value.
#pragma once

#include "kernels/formula/formula.hpp"

namespace terrace::nest {

/// A formula in which the least or largest of sums with the same constant is a sum with it: min(a + 1, b, c + 1) is
/// min(b, min(a, c) + 1). The same if no operation of whole numbers leaves its type.
formula::Formula with_common_addends(const formula::Formula& formula);

}  // namespace terrace::nest
