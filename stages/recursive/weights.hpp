// Elements of matrices as the algebra has them: weights of edges as distances to begin with, factors of products.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "io/data_error.hpp"
#include "io/rounded.hpp"
#include "kernels/recursive/semiring.hpp"

namespace terrace::stages {

/// True if arrays of type T have a value that means "no path" by itself.
template <class T>
inline constexpr bool has_infinity = std::is_floating_point_v<T> || (std::is_signed_v<T> && sizeof(T) > 1);

/// Elements off the diagonal that were read so far, by any thread; those read twice count twice.
struct ZeroCount {
  std::atomic<std::int64_t> all{0}, zero{0};
};

/// Meanings of the elements of a matrix.
struct WeightRules {
  io::DataLabel label;            // of the matrix, for errors
  std::optional<double> no_edge;  // the value for no edge; nullopt: infinity, or half the largest of its type
  bool zero_diagonal = true;      // true if the distance of a node from itself is at most 0
  recursive::Nothing nothing = recursive::Nothing::infinity;  // the value of no edge; the other infinity is an error
  bool any_infinity = false;                                  // not so
  bool not_negative = false;                                  // negative elements are errors
  std::shared_ptr<ZeroCount> zeros = nullptr;                 // counts elements read; null: no count
  std::shared_ptr<io::RoundedElement> rounded = nullptr;      // checks elements read as f32; null: no check
};

/// A matrix in another type, in which no edge becomes the algebra's zero. Elements become floating-point numbers
/// rounded to the nearest; if no edge is false, 0 and 1.
/// NaN, an infinity that the algebra does not have, and values outside the type are a DataError of the read.
std::shared_ptr<io::Source> weights(std::shared_ptr<io::Source> matrix, ElementType type, WeightRules rules);

/// The integer for "no path" in a table of distances; nullopt: infinity.
std::optional<std::int64_t> no_path_of(ElementType type);

/// The finite weights of a matrix of integers.
struct WeightRange {
  bool any = false;
  std::int64_t least = 0, most = 0;
  /// The largest magnitude; the largest i64 if that is larger.
  std::int64_t magnitude() const;
  /// Takes in elements from `lower` to `upper`.
  void add(std::int64_t lower, std::int64_t upper);
};

/// True if distances over paths of at most `nodes` nodes always differ from "no path" in that integer type, for any
/// edges: without negative weights they stay below infinity by the largest weight, with them their magnitudes stay
/// below half of it.
bool holds_distances(ElementType type, const WeightRange& range, std::int64_t nodes);

/// The narrowest integer type that holds_distances(), in words for people: "say `type: i32`".
std::string type_that_holds(const WeightRange& range, std::int64_t nodes);

/// Looks at all of a matrix of integers, in pieces of some MiB. @throws io::DataError
WeightRange scan_weights(io::Source& matrix, const WeightRules& rules);

}  // namespace terrace::stages
