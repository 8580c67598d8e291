// Arrays as NumPy stores them, read by boxes.
#pragma once

#include <functional>
#include <memory>

#include "io/inputs/npy_header.hpp"
#include "io/kept_memory.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// The array whose stored elements, of NpyHeader::stored(), `stored` reads in the shape in which they lie, row-major:
/// in Fortran order the transposed array, with elements of 16 bits (f16) as f32. Texts are read at once, as a table
/// of names; for them `stored` reads the bytes of each text in turn.
/// @param where names the file in errors @param check_kept of what texts take
/// @throws IoError if texts cannot be read
std::shared_ptr<Source> npy_array(const NpyHeader& header,
                                  const std::function<std::shared_ptr<Source>(const Extents& shape)>& stored,
                                  const std::string& where, const CheckKept& check_kept);

}  // namespace terrace::io
