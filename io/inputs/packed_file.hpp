// Compressed files, recognised by their first bytes.
#pragma once

#include "io/input_file.hpp"

namespace terrace::io {

/// @param kind of the input, which reads plain files alone
/// @throws IoError if the file is compressed, with the program that unpacks it
void refuse_packed(const InputFile& file, const char* kind);

}  // namespace terrace::io
