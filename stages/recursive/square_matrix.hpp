// The square matrix that a stage of the recursive family begins with.
#pragma once

#include <memory>
#include <optional>

#include "io/source.hpp"
#include "stages/recursive/weights.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The result that a stage makes of a matrix.
enum class Makes {
  table,  // as many elements as the matrix has
  rows    // some rows of it, or numbers of each row
};

/// The array that the stage calls `matrix`. @throws JobError if it is not square, or has more than 2^24 rows and a
/// table is made of it
std::shared_ptr<io::Source> open_square_matrix(const Request& request, Makes makes = Makes::table);

/// The stage's `no_edge` as elements of the matrix have it: of f32, rounded to that.
/// @throws JobError if no element can be that number, or could be taken for it and is not
std::optional<double> no_edge_of(const Request& request, const io::Source& matrix);

/// The rules by which the stage reads the elements of its `matrix`, weights of edges or distances.
/// @param zero_diagonal WeightRules::zero_diagonal @throws as no_edge_of()
WeightRules distance_rules(const Request& request, const io::Source& matrix, bool zero_diagonal);

}  // namespace terrace::stages
