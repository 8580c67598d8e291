// The codes that stand beyond the ends of items in lanes of letters.
#pragma once

#include <optional>

#include "kernels/pairs/task.hpp"

namespace terrace::pairs {

/// Codes that equal no letter of the other side, nor each other.
struct Pads {
  u8 row, column;
};

/// The pads of a block; nullopt where its letters have all codes.
std::optional<Pads> pads_of(const PairsTask& task);

}  // namespace terrace::pairs
