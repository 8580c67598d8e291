// The header of NumPy's .npy files, versions 1 to 3.
#pragma once

#include <cstdint>

#include "io/input_file.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// The description of the array in the header.
struct NpyHeader {
  ElementType type = ElementType::u8;
  bool big_endian = false;
  bool fortran_order = false;
  Extents shape;
  std::int64_t offset = 0;  // byte of the first element
};

/// Source: NumPy Enhancement Proposal 1 and the documentation of numpy.lib.format.
/// @throws IoError if this is no .npy file, the header is damaged, or the element type has no counterpart
NpyHeader read_npy_header(const InputFile& file);

}  // namespace terrace::io
