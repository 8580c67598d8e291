// Texts as bytes: reading them, and whether they can be YAML at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace terrace::job {

/// Jobs are texts written by people; more is refused before anything is parsed.
inline constexpr std::size_t largest_job_bytes = std::size_t{4} << 20;

/// The whole file, without a byte order mark. @throws JobError when it is missing, a folder, unreadable or larger
/// than `largest_job_bytes`
std::string read_job_text(const std::filesystem::path& path);

/// Index of the first byte that begins no UTF-8 sequence, or the size.
std::size_t first_invalid_byte(std::string_view text);

/// A text for a message: in single quotes, cut when long, with control characters as \xNN.
std::string quote(std::string_view text);

}  // namespace terrace::job
