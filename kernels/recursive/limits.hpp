// The limits of updates of tiles, by the instructions that kernels are made of.
#pragma once

#include "kernels/launch/method.hpp"
#include "kernels/recursive/tiles.hpp"

namespace terrace::recursive {

/// Updates of an element a second (of a table of bits: of a cell) that the instructions of a CUDA device's kernels
/// allow (cuda/products/words.cuh, cuda/bits); 0 if nothing is known of the device. Sums of products of real numbers
/// have multiply_adds_of() (methods.hpp).
double cuda_limit_of_updates(const TileSpec& spec, const device::Limits& limits);

}  // namespace terrace::recursive
