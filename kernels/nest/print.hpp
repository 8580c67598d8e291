// A nest as a struct of C++, for compilers at run time: NVRTC, nvcc and those of the host. Names are made here, and
// numbers are printed by their bits: nothing of what a job writes is in it.
#pragma once

#include <string>

#include "kernels/nest/tiling.hpp"

namespace terrace::nest {

/// The reads of cells whose sources are not in the nest.
enum class Rim {
  checked,  // each cell that may have one looks for it
  ghosts    // where that is the same, cells outside a statement's box have the first value of their element
};

/// The struct `Written` (written/work.hpp) with those that it names, for namespace terrace::nest. Its includes come
/// first (nest_headers).
///
/// WrittenStatement<s>: what statement s makes. Coordinates are `c`, iterations `y`: a loop each that has a
/// coordinate of its own, of loops that are counted as one their number; `at` has a number each loop.
///   usual(k, t, q, y, at, made)        the value where each read has the one dependence that holds for most
///   iterations any<explains>(k, t, q, y, at, made, why)   the value anywhere; a code (work.hpp) if there is none
///   usual_anywhere                     with ghosts, the same where inputs may not have what is read
///   may_hold(low, high)                false if no iteration lies in a box of coordinates, ends included
///   ghost_row(c, begin, end)           with ghosts, the columns of a row at which values may be read
///   first_value(k, at)                 with ghosts, the value of the element of an iteration before statements write
///                                      it; another one if no iteration of the block reads it
/// WrittenArray<a>: first<explains>(k, at, made, why) is the value of an element that no statement writes;
/// first_anywhere(k, at, made), with ghosts, the same where inputs may not have what is read.
std::string nest_source(const NestSpec& spec, const Tiling& tiling, Rim rim = Rim::checked);

/// Lines that include what the struct needs.
std::string nest_headers();

}  // namespace terrace::nest
