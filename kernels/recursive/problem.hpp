// The concept of a problem of the recursive family.
//
// Such a problem updates tiles of a table by others, x(i, j) <- x(i, j) + u(i, k) * v(k, j) for all i, j, k, in some
// algebra and order. A problem P is a struct without data:
//
//   static constexpr const char* name;        as in a job
//   static constexpr const char* help;        one sentence
//   static constexpr Form form;               which updates there are
//   static constexpr ParameterList parameters;
//   using Semiring = ...;                     the algebra (semiring.hpp), if it is always the same
//   using Rule = ...;                         intervals: their values (interval_rules.hpp)
#pragma once

#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/parameter.hpp"

namespace terrace::recursive {

/// The relation between inputs and results.
enum class Form {
  shortest_paths,      // of a square matrix in place: k in order, all (i, j) for each
  transitive_closure,  // the same of bits
  elimination,         // of a square matrix in place: k in order, for each all i and j that come after
  product,             // of two matrices, in the algebra that the job names
  intervals            // of items, each by the parts that it is best split into
};

}  // namespace terrace::recursive
