#include "stages/recursive/distance_proof.hpp"

#include <algorithm>
#include <limits>

#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::stages {

void prove_weights(const std::string& matrix, ElementType type, const WeightRange& weights, std::int64_t nodes) {
  if (!weights.any || weights.least >= 0 || holds_distances(type, weights, nodes)) return;
  throw ComputeError("'" + matrix + "' has weights from " + std::to_string(weights.least) + " to " +
                     std::to_string(weights.most) + ", and distances between " + std::to_string(nodes) +
                     " nodes may leave " + std::string(name_of(type)) + ": " + type_that_holds(weights, nodes));
}

void prove_distances(const std::string& matrix, ElementType type, const FoundDistances& found, std::int64_t nodes) {
  const auto fail = [&](const std::string& advice) {
    throw ComputeError("distances of '" + matrix + "' leave " + std::string(name_of(type)) + ": " + advice);
  };
  dispatch(type, [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_floating_point_v<T>) {
      constexpr auto largest = static_cast<double>(std::numeric_limits<T>::max());
      const double magnitude = std::max(found.most, -found.least);
      const bool fits = found.least < 0 ? magnitude <= largest / 2 / static_cast<double>(nodes)
                                        : found.farthest_real <= largest - found.most;
      if (!fits) fail(sizeof(T) == 4 ? "say `type: f64`" : "scale the weights down");
    } else if constexpr (std::is_signed_v<T> && sizeof(T) > 1) {
      const WeightRange& weights = found.weights;
      if (weights.any && weights.least >= 0 && found.farthest >= recursive::infinity<T>() - weights.most) {
        fail(type_that_holds(weights, nodes));
      }
    }
  });
}

std::string node_text(const io::NodeNames* nodes, std::int64_t node) {
  return nodes != nullptr ? "node " + quote(nodes->name(node)) : "node " + std::to_string(node) + " (counted from 0)";
}

void fail_negative_cycle(const std::string& matrix, const io::NodeNames* nodes, std::int64_t node) {
  throw ComputeError("'" + matrix + "' has a negative cycle through " + node_text(nodes, node) +
                     ", so that no path there is the shortest; mend the weights");
}

}  // namespace terrace::stages
