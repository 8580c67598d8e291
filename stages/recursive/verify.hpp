// Computes parts of the results of the stage `recursive` again.
#pragma once

#include "stages/recursive/weights.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// Everything that a stage of a finished result wrote.
std::vector<Checked> verify_recursive(const VerifyRequest& request);

/// `distance`: sampled rows by a search over the edges from a node (Dijkstra; with negative weights Bellman and
/// Ford). `next`: of the same rows, the edges that it leads over add up to the distance.
std::vector<Checked> verify_distances(const VerifyRequest& request);

/// `closure`: sampled rows by a search over the edges from a node, in breadth.
std::vector<Checked> verify_transitive_closure(const VerifyRequest& request);

/// `product`: tiles of elements by their definition. Real sums of products may differ by a bound that follows from
/// their length and their summands.
std::vector<Checked> verify_product(const VerifyRequest& request);

/// `lu`: tiles of the product of its two triangles against the matrix, within the bound of elimination.
std::vector<Checked> verify_elimination(const VerifyRequest& request);

/// Tables over intervals: sampled tiles from the intervals that theirs are split into. Without a table, costs and
/// splits of few nodes are all computed again; of more the splits are followed from the whole.
std::vector<Checked> verify_intervals(const VerifyRequest& request);

/// Unit roundoff of a real type.
template <class T>
constexpr double roundoff() {
  return sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
}

/// Calls `call(T{})` for a type that has a value for no path: i16, i32, i64, f32, f64.
/// @throws WrongDataset for any other
template <class Call>
void dispatch_distance(ElementType type, const std::string& name, Call&& call) {
  dispatch(type, [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_floating_point_v<T> || (std::is_signed_v<T> && sizeof(T) > 1)) call(value);
    else throw WrongDataset(name, "is of " + std::string(name_of(type)) + ", as no such table is");
  });
}

}  // namespace terrace::stages
