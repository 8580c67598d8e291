// The place of a letter in a FASTA file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace terrace::io {

/// "a.fa:3:2", line and column of a letter. Reads the file again: for errors alone.
/// @param record from 0; @param letter of the record as it stands in the file, from 0
/// @return the path alone if the file has changed since, or cannot be read any more
std::string fasta_place(const std::filesystem::path& path, std::size_t record, std::int64_t letter);

}  // namespace terrace::io
