// Arrays as NumPy stores them, read by boxes.
#pragma once

#include <functional>
#include <memory>

#include "io/inputs/npy_header.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// The array whose stored elements `stored` reads in the shape in which they lie, row-major: the array itself, or, in
/// Fortran order, the transposed one.
std::shared_ptr<Source> npy_array(const NpyHeader& header,
                                  const std::function<std::shared_ptr<Source>(const Extents& shape)>& stored);

}  // namespace terrace::io
