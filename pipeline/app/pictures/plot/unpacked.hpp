// Matrices of bits that results store in bytes.
#pragma once

#include <memory>

#include "io/source.hpp"

namespace terrace::app {

/// The bits of a matrix of bytes as an array of u8, 0 or 1: bit j % 8 of byte j / 8 of a row is its element j.
/// @param bytes of two dimensions, u8; @param columns at most 8 a byte
std::shared_ptr<io::Source> unpacked(std::shared_ptr<io::Source> bytes, std::int64_t columns);

}  // namespace terrace::app
