// The range of a matrix's whole weights, and the types that hold their distances.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/base/element_type.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

/// The integer in a table of distances that means no path; nullopt: infinity means it.
std::optional<std::int64_t> no_path_of(ElementType type);

/// The finite weights of a matrix of integers.
struct WeightRange {
  bool any = false;
  std::int64_t least = 0, most = 0;
  /// The largest magnitude; the largest i64 where that is larger.
  std::int64_t magnitude() const;
  /// Takes in elements from `lower` to `upper`.
  void add(std::int64_t lower, std::int64_t upper);
};

/// A range of weights that is relied on before they are read; weights outside of it are errors of the read.
struct StatedWeights {
  WeightRange range;
  bool exact = false;  // whether its ends are weights
  std::string reason;  // who says so, and what to do where it is wrong: "the range that ... states: correct ..."

  nlohmann::json json() const;
  static StatedWeights from(const nlohmann::json& json);
};

/// True if every weight of the range is finite in that integer type.
bool holds_weights(ElementType type, const WeightRange& range);

/// True if distances over paths of at most `nodes` nodes are sure to be told from "no path" in that integer type,
/// whatever the edges: without negative weights they stay below infinity by the largest weight, with them their
/// magnitudes below half of it.
bool holds_distances(ElementType type, const WeightRange& range, std::int64_t nodes);

/// The narrowest integer type that holds_distances(), or nullopt if none does.
std::optional<ElementType> narrowest_for_distances(const WeightRange& range, std::int64_t nodes);

/// The same in words for people: "say `type: i32`".
std::string type_that_holds(const WeightRange& range, std::int64_t nodes);

}  // namespace terrace::stages
