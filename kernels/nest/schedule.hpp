// Schedules of nests: the skew of the iteration space in which boxes are legal tiles at every level, after Di, Ye,
// Su, Sui and Xue, "Automatic Parallelization of Tiled Loop Nests with Enhanced Fine-Grained Parallelism on GPUs"
// (PACT 2012), and Bondhugula et al. (CC 2008) for the legality of tiles.
#pragma once

#include <string>
#include <vector>

#include "kernels/nest/distances.hpp"

namespace terrace::nest {

inline constexpr i64 most_coefficient = 8;

/// The image of an iteration: coordinate n of iteration x of statement s is rows[n] . x + shifts[s][n]. No dependence
/// has a negative distance along a coordinate (the paper's (3)).
///
/// Loops that no array has are one loop, the last of them, whose iterations count theirs: coordinates have its number
/// 0, and `first` is its number among the loops.
struct Skew {
  std::size_t first = 0;                 // loops from here on have coordinates
  std::vector<bool> reversed;            // of each loop: taken from its end; before rows are applied
  std::vector<std::vector<i64>> rows;    // unimodular: a row a coordinate, a coefficient a loop from `first` on
  std::vector<std::vector<i64>> shifts;  // a statement each
  bool is_balanced = false;  // the wavefronts of tiles lie along the first row (the paper's (4)), else along the sum

  std::size_t rank() const { return rows.size(); }
  /// The distance of a dependence along a coordinate.
  i64 along(std::size_t coordinate, const Dependence& dependence) const;
  /// "1 0; 1 1", with the shifts of statements that have any: "1 0; 2 1 + 0, 1".
  std::string in_words() const;
};

/// The dependences of a nest force what no skew does.
struct SkewFault {
  std::string what;
};

/// The statements in an order in which each comes after those whose values it needs at the same coordinates; empty if
/// some need one another.
std::vector<int> statement_order(const Skew& skew, const std::vector<Dependence>& dependences);

/// True if no distance is negative along a coordinate of the skew, and the statements have an order.
bool is_legal(const Skew& skew, const std::vector<Dependence>& dependences);

/// The least skew: rows in the order of their sums, of determinant 1. Equations may reverse axes.
/// @param balanced the first row is at least 1 on every dependence of a statement on itself
/// @throws SkewFault: the cycle of dependences, or the distances if none is found within most_coefficient
Skew least_skew(const Nest& nest, const std::vector<Dependence>& dependences, bool balanced);

/// Dependences as lines of text, each once: "D[i][j] needs D[i-1][j]: (1, 0)".
std::vector<std::string> in_words(const Nest& nest, const std::vector<Dependence>& dependences);

}  // namespace terrace::nest
