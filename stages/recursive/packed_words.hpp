// Matrices of bits.
#pragma once

#include <cstdint>
#include <memory>

#include "io/source.hpp"

namespace terrace::stages {

inline constexpr std::int64_t cells_of_word = 32;

/// Words that hold so many cells.
constexpr std::int64_t words_of(std::int64_t cells) { return (cells + cells_of_word - 1) / cells_of_word; }

/// A matrix of 0 and 1 in u8, 32 elements of a row in a word of type u32: the first one's bit is 1.
std::shared_ptr<io::Source> packed_words(std::shared_ptr<io::Source> truth);

}  // namespace terrace::stages
