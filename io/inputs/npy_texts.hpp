// Texts as NumPy stores them: of a fixed length, with zeros behind shorter ones.
#pragma once

#include <memory>

#include "io/inputs/npy_header.hpp"
#include "io/kept_memory.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// The shape of all texts as bytes: texts in the order of the file x bytes of one. @param where names the file
/// @throws IoError if there are more than any machine holds
Extents bytes_of_texts(const NpyHeader& header, const std::string& where);

/// The texts as a table of names, in UTF-8. @param shape of the texts as they lie, row-major @param bytes of all
/// texts
/// @throws IoError naming a text with a number that is no letter; JobError if names take too much memory
std::shared_ptr<Source> npy_texts(const NpyHeader& header, const Extents& shape, Source& bytes,
                                  const CheckKept& check_kept);

}  // namespace terrace::io
