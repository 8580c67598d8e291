// The edges of a graph as bits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/data_error.hpp"

namespace terrace::stages {

inline constexpr std::int64_t cells_of_word = 32;

/// The edges of a square matrix, 32 in a word of type u32: the first one's bit is 1. No edges are infinity, in i16,
/// i32 and i64 half the largest value, and `no_edge`, which is 0 where it is not given; in a graph every edge counts
/// that it has, whatever it weighs. NaN is a DataError of the read.
/// @param label of the matrix, for errors
std::shared_ptr<io::Source> edge_bits(std::shared_ptr<io::Source> matrix, io::DataLabel label,
                                      std::optional<double> no_edge);

}  // namespace terrace::stages
