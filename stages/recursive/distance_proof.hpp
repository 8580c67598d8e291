// Proofs that a type holds the distances of a graph.
#pragma once

#include <string>

#include "io/node_names.hpp"
#include "stages/recursive/weight_range.hpp"

namespace terrace::stages {

/// Weights and distances: of whole numbers the first two, of real ones the others.
struct FoundDistances {
  WeightRange weights;
  std::int64_t farthest = 0;                      // the largest finite distance
  double least = 0, most = 0, farthest_real = 0;  // weights, 0 among them, and the largest finite distance
};

/// Before anything is computed: with negative weights, infinity must remain far above all distances.
/// @param matrix its name in the job @throws ComputeError naming a type that holds the distances
void prove_weights(const std::string& matrix, ElementType type, const WeightRange& weights, std::int64_t nodes);

/// Afterwards: without negative weights no path was lost for its length if the longest one found stays below infinity
/// by the largest weight. @throws as prove_weights()
void prove_distances(const std::string& matrix, ElementType type, const FoundDistances& found, std::int64_t nodes);

/// A node by its name, or its number where there are no names: "node 'rome'", "node 3 (counted from 0)".
std::string node_text(const io::NodeNames* nodes, std::int64_t node);

/// @param nodes null: they have no names @throws ComputeError
[[noreturn]] void fail_negative_cycle(const std::string& matrix, const io::NodeNames* nodes, std::int64_t node);

}  // namespace terrace::stages
