// A binary in a file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "io/files/entry.hpp"
#include "kernels/compiled/compiler.hpp"

namespace terrace::compiled {

/// The content of a file: a checksum, the key (key.hpp) and the binary.
std::string content_of(const std::string& key, const Binary& binary);

/// The binary of a content; nullopt if its bytes are not those that were written, or it is that of another key.
std::optional<Binary> binary_in(std::span<const std::byte> content, const std::string& key);

/// Writes the file durably. @throws IoError naming the file
void write_binary(const io::Entry& file, const std::string& key, const Binary& binary);

/// The binary of a file; nullopt if there is no such file, or as binary_in(). @throws IoError if it cannot be read
std::optional<Binary> read_binary(const io::Entry& file, const std::string& key);

}  // namespace terrace::compiled
