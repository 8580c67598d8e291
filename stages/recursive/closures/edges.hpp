// The edges of a graph as bits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/data_error.hpp"
#include "stages/recursive/packed_words.hpp"

namespace terrace::stages {

/// The edges of a square matrix as packed_words(). Infinity is no edge, nor half the largest value in i16, i32 and
/// i64, nor `no_edge`, by default 0; in a graph every edge counts, whatever its weight. NaN is a DataError of the
/// read.
/// @param label of the matrix, for errors
std::shared_ptr<io::Source> edge_bits(std::shared_ptr<io::Source> matrix, io::DataLabel label,
                                      std::optional<double> no_edge);

}  // namespace terrace::stages
