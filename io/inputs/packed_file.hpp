// Compressed files, recognised by their first bytes.
#pragma once

#include "io/input_file.hpp"

namespace terrace::io {

/// @throws IoError if the file is compressed by another program than gzip, with the program that unpacks it
void refuse_packed(const InputFile& file);

}  // namespace terrace::io
