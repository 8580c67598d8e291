// A binary in a file.
#pragma once

#include <optional>

#include "io/files/entry.hpp"
#include "kernels/compiled/compiler.hpp"

namespace terrace::compiled {

/// Writes the file durably, with a checksum of its content. @throws IoError naming the file
void write_binary(const io::Entry& file, const Binary& binary);

/// The binary of a file; nullopt if there is no such file, or its bytes are not those that were written.
/// @throws IoError if it cannot be read
std::optional<Binary> read_binary(const io::Entry& file);

}  // namespace terrace::compiled
