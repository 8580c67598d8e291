// A nest as a struct of C++, for compilers at run time: NVRTC, nvcc and those of the host. Names are made here, and
// numbers are printed by their bits: nothing of what a job writes is in it.
#pragma once

#include <string>

#include "kernels/nest/tiling.hpp"

namespace terrace::nest {

/// The struct `Written` (written/work.hpp) with those that it names, for namespace terrace::nest. Its includes come
/// first (nest_headers).
///
/// WrittenStatement<s>: what statement s makes. Coordinates are `c`, iterations `y`: a loop each that has a
/// coordinate of its own, of loops that are counted as one their number; `at` has a number each loop.
///   usual(k, t, q, y, at, made)        the value where each read has the one dependence that holds for most
///   iterations any<explains>(k, t, q, y, at, made, why)   the value anywhere; a code (work.hpp) if there is none
/// WrittenArray<a>: first<explains>(k, at, made, why) is the value of an element that no statement writes.
std::string nest_source(const NestSpec& spec, const Tiling& tiling);

/// Lines that include what the struct needs.
std::string nest_headers();

}  // namespace terrace::nest
