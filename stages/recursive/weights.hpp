// Elements of matrices as the algebra has them: weights of edges as distances to begin with, factors of products.
#pragma once

#include <functional>
#include <memory>

#include "io/source.hpp"
#include "pipeline/base/watch.hpp"
#include "stages/recursive/weight_range.hpp"
#include "stages/recursive/weight_rules.hpp"

namespace terrace::stages {

/// A matrix in another type, where no edge is the algebra's zero of that type. Elements become floating-point numbers
/// rounded to the nearest; where no edge is false, 0 and 1, of a graph 1 for each edge.
/// NaN, an infinity that the algebra has not, what the type does not hold, and what lies outside of a stated range
/// are a DataError of the read.
std::shared_ptr<io::Source> weights(std::shared_ptr<io::Source> matrix, ElementType type, WeightRules rules);

/// A matrix that its file says to be packed, whose missing elements are no edge by the rules; elements of a type that
/// has none become distance_type(). Any other matrix, and all where no edge is 0 or false, as they are.
std::shared_ptr<io::Source> with_no_edge(std::shared_ptr<io::Source> matrix, const WeightRules& rules);

/// Weights that were seen.
struct WeightScan {
  WeightRange range;
  bool whole = false;  // whether all were
};

/// Looks at a matrix of integers, in pieces of some MiB, until the weights seen so far are enough; `enough` may be
/// empty: at all of it. @throws io::DataError, and what the watch throws
WeightScan scan_weights(io::Source& matrix, const WeightRules& rules, const Watch& watch = nullptr,
                        const std::function<bool(const WeightRange& seen)>& enough = nullptr);

}  // namespace terrace::stages
