// The edges of a graph as bits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/source.hpp"

namespace terrace::stages {

inline constexpr std::int64_t cells_of_word = 32;

/// The edges of a square matrix, 32 in a word of type u32: the first one's bit is 1. What is no edge: `no_edge`;
/// where that is not given, in a graph what it has not, and in other matrices 0. NaN is an error of the read, with
/// the place.
/// @param name of the matrix, for errors
std::shared_ptr<io::Source> edge_bits(std::shared_ptr<io::Source> matrix, std::string name,
                                      std::optional<double> no_edge);

}  // namespace terrace::stages
