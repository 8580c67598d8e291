// The header of NumPy's .npy files, versions 1 to 3.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// The description of the array in the header.
struct NpyHeader {
  ElementType type = ElementType::u8;
  bool half = false;    // elements of floating point are stored in 16 bits (IEEE's binary16), and of `type` f32
  bool truths = false;  // elements are booleans, of `type` u8
  std::optional<std::int64_t> text_bytes;  // elements are texts of so many bytes, of `type` u8
  bool wide_texts = false;                 // letters of texts have 4 bytes (UCS-4), else 1
  bool big_endian = false;
  bool fortran_order = false;
  Extents shape;
  std::int64_t offset = 0;  // byte of the first element

  /// The type of the elements as they are stored; of half ones u16, their bits.
  ElementType stored() const { return half ? ElementType::u16 : type; }
  /// Bytes of an element in the file.
  std::int64_t element_bytes() const { return text_bytes.value_or(static_cast<std::int64_t>(size_of(stored()))); }
};

/// Reads at most `bytes` bytes from `offset` on. @return their number
using ReadSome = std::function<std::int64_t(std::int64_t offset, std::int64_t bytes, void* buffer)>;

/// Source: NumPy Enhancement Proposal 1 and the documentation of numpy.lib.format.
/// @throws IoError if this is no .npy file, the header is damaged, or the element type has no counterpart
/// @param where names the file in errors
NpyHeader read_npy_header(const ReadSome& read, const std::string& where);

}  // namespace terrace::io
